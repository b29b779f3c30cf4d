import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { AgreementsClient, InvalidResponseError } from '../../../client/src/index.ts';
import { listenLocally } from '../../support/listenLocally.ts';

test('a caller that waits for evidence gets the number of proved blocks, and then the unchanged file', async () => {
  const file = '{"format":"agreement-evidence/1"}\n';
  const answers = [
    { status: 202, body: { data: { status: 'collecting', blocksProved: 3, blocks: 12 }, meta: {} } },
    { status: 202, body: { data: { status: 'collecting', blocksProved: 11, blocks: 12 }, meta: {} } },
  ];
  const server = createServer((_, response) => {
    const answer = answers.shift();
    response.writeHead(answer?.status ?? 200, { 'content-type': 'application/json' });
    response.end(answer ? JSON.stringify(answer.body) : file);
  });
  const { url, close } = await listenLocally(server);
  const client = new AgreementsClient({ baseUrl: url, apiKey: 'key' });
  const told: number[][] = [];
  const text = await client.agreements.readEvidence('agr_1', {
    onProgress: ({ blocksProved, blocks }) => told.push([blocksProved, blocks]),
  });
  await close();
  expect(text).toBe(file);
  expect(told).toEqual([
    [3, 12],
    [11, 12],
  ]);
});

test.each([
  ['a page', 'text/html', '<html>Please log in</html>'],
  ['a list', 'application/json', '[]'],
])('%s instead of evidence is an invalid answer', async (_, type, body) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  const { url, close } = await listenLocally(server);
  const client = new AgreementsClient({ baseUrl: url, apiKey: 'key', maxRetries: 0 });
  const failed = await client.agreements.getEvidence('agr_1').catch((error: unknown) => error);
  await close();
  expect(failed).toBeInstanceOf(InvalidResponseError);
  expect(failed).toMatchObject({ status: 200, message: 'The answer is no JSON object.' });
});

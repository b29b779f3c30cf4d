import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { hideEndpoints } from '../../../src/indexer/runtime/endpointAliases.ts';
import { refuseLogsOfMissingBlocks } from '../../../src/indexer/runtime/missingBlocks.ts';
import { readConfiguration } from '../../../src/platform/config/configuration.ts';
import { listenLocally } from '../../support/listenLocally.ts';

const fetchUrl = globalThis.fetch;
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  globalThis.fetch = fetchUrl;
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** Clears memory while a call runs. */
async function clearMemory(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collectGarbage = z.function().parse(runInNewContext('gc'));
  for (let turns = 0; turns < 5; turns++) {
    await delay(1);
    collectGarbage();
  }
}

/** A node whose URL has a path, a user and a password, and the name by which it is known outside of `fetch`. */
async function startNode(answer?: string) {
  const server = createServer(async (request, response) => {
    server.emit('asked', { method: request.method, path: request.url, headers: request.headers });
    const body = await text(request);
    if (answer !== undefined) response.end(`${answer} ${body}`);
  });
  const { url, close } = await listenLocally(server);
  cleanups.push(close);
  const real = `${url.replace('//', '//user:pass%2Cword@')}/key`;
  const env = { DATABASE_URL: 'postgres://localhost/none', CHAINS: '59141', RPC_URL_59141: real };
  const [chain] = hideEndpoints(readConfiguration(env).chains, {});
  const asked = once(server, 'asked').then(([request]): Pick<IncomingMessage, 'headers'> => request);
  return { alias: z.string().parse(chain?.rpcUrls[0]), asked };
}

const question = { method: 'POST', headers: { 'x-one': '1' }, body: 'question' };

test.each([
  ['a URL', (alias: string) => fetch(alias, question)],
  ['a Request', (alias: string) => fetch(new Request(alias, question))],
  [
    'a Request and settings',
    (alias: string) => fetch(new Request(alias, { ...question, body: 'another' }), { body: 'question' }),
  ],
])('%s with the alias reaches the node by its real URL, with its password', async (_, ask) => {
  const { alias, asked } = await startNode('answer to');
  expect(alias).not.toMatch(/user|word|key/);
  expect(await (await ask(alias)).text()).toBe('answer to question');
  expect(await asked).toMatchObject({
    ...{ method: 'POST', path: '/key' },
    headers: { 'x-one': '1', authorization: `Basic ${btoa('user:pass,word')}` },
  });
});

test('a call is aborted also after memory was cleared meanwhile', async () => {
  const { alias, asked } = await startNode();
  const controller = new AbortController();
  const call = fetch(alias, { ...question, signal: controller.signal });
  const name = call.then(
    () => 'answered',
    (error: Error) => error.name,
  );
  await asked;
  await clearMemory();
  controller.abort();
  expect(await name).toBe('AbortError');
});

const ranges = [{ fromBlock: '0x1', toBlock: '0x2' }];
const logs = JSON.stringify({ id: 1, method: 'eth_getLogs', params: ranges });

test.each([
  ['a call to a node that says nothing', '{"method":"eth_call"}', ''],
  ['a call to a node that does not end its answer', '{"method":"eth_call"}', '{"half'],
  ['a range of logs from a node that says nothing', logs, ''],
  ['a range of logs from a node that does not end its answer', logs, '{"half'],
])('%s ends in time also after memory was cleared', async (_, body, beginning) => {
  const server = createServer((_request, response) => {
    if (beginning !== '') response.write(beginning);
    server.emit('asked', response);
  });
  const { url, close } = await listenLocally(server);
  cleanups.push(close);
  const env = { DATABASE_URL: 'postgres://localhost/none', CHAINS: '59141', RPC_URL_59141: url };
  const [chain] = hideEndpoints(readConfiguration(env).chains, {}, { waitsMs: 500 });
  refuseLogsOfMissingBlocks();
  const answered = once(server, 'asked');
  const controller = new AbortController();
  // As Ponder asks: only the call itself knows the Request.
  const ask = async (alias: string) =>
    (await fetch(new Request(alias, { method: 'POST', body, signal: controller.signal }))).text();
  const name = ask(z.string().parse(chain?.rpcUrls[0])).then(
    () => 'answered',
    (error: Error) => error.name,
  );
  const [response] = await answered;
  const closed = once(response, 'close');
  await clearMemory();
  controller.abort();
  expect(await name).toMatch(/^(AbortError|TimeoutError)$/);
  await closed;
});

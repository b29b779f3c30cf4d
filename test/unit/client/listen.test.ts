import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { run } from '../../../client/src/cli/run.ts';
import { listenLocally } from '../../support/listenLocally.ts';
import { createTerminal } from './support/runInProcess.ts';

const moved = { agreementId: 'agr_1', agreementName: 'Lease', fromState: 'A', toState: 'B', inputId: 'go' };
const event = {
  id: 'evt_1',
  type: 'agreement.transitioned',
  createdAt: '2026-01-01T00:00:00.000Z',
  data: moved,
};

test('listening that is stopped while a receiver does not answer ends without an answer to that event', async () => {
  const service = await listenLocally(
    createServer(({ url = '' }, response) => {
      const isPage = url.startsWith('/v0/events?');
      const data = isPage && url.includes('after=first') ? [event] : [];
      response.writeHead(isPage ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ data, pageInfo: { limit: 100, nextCursor: 'second' }, meta: {} }));
    }),
  );
  const stopping = new AbortController();
  // Never answers: whoever waits for it notices only that it is stopped.
  const receiver = await listenLocally(createServer(() => stopping.abort()));
  const { terminal, printed } = createTerminal();
  await run(
    [
      'listen',
      '--json',
      '--after',
      'first',
      '--forward-to',
      receiver.url,
      '--url',
      service.url,
      '--api-key',
      'agk_x',
    ],
    { ...terminal, stopped: stopping.signal },
  );
  await Promise.all([service.close(), receiver.close()]);
  expect(printed).toEqual([expect.stringContaining('"listening":true')]);
});

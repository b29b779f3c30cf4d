import { createServer } from 'node:net';
import pino from 'pino';
import { afterEach, expect, test } from 'vitest';
import { readInternalServer } from '../../../src/platform/config/internalServerSettings.ts';
import { startInternalServer } from '../../../src/platform/operations/internalServer.ts';
import { createMetrics } from '../../../src/platform/operations/metrics.ts';

const logger = pino({ level: 'silent' });
const taken = createServer();
afterEach(() => void taken.close());

/** Starts the server where the environment says, or on another port. */
function start(env: NodeJS.ProcessEnv, port: number) {
  const settings = readInternalServer(env, 'INTERNAL_PORT');
  if (!settings) throw new Error('the server is switched off');
  return startInternalServer({
    settings: { ...settings, port },
    databaseUrl: 'postgres://127.0.0.1:1/none',
    chains: [],
    metrics: createMetrics({ chains: [] }),
    access: { describe: () => [], latestBlock: () => undefined },
    isStopping: () => false,
    logger,
  });
}

function takePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  taken.listen(0, '127.0.0.1', () => {
    const address = taken.address();
    resolve(typeof address === 'object' && address ? address.port : 0);
  });
  return promise;
}

test('a usual port that is taken does not prevent the start', async () => {
  expect(await start({}, await takePort())).toBeUndefined();
});

test.each([{ INTERNAL_HOST: '127.0.0.1' }, { INTERNAL_PORT: '9464' }])(
  'a port that is taken prevents the start if the operator has named an address: %j',
  async (env) => {
    await expect(start(env, await takePort())).rejects.toThrow('EADDRINUSE');
  },
);

test('another failure to listen prevents the start', async () => {
  await expect(start({}, 70_000)).rejects.toThrow('70000');
});

import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { giveUpChain, readRebuilds } from '../../src/indexer/runtime/chainRebuilds.ts';
import { withClient } from '../../src/indexer/runtime/withClient.ts';
import { createTestDatabase } from '../support/postgres.ts';

const chain = { chainId: 59141, block: 7n, hash: null };

async function openRebuilds() {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const read = () => readRebuilds({ databaseUrl: url, logger: pino({ level: 'silent' }) });
  await read();
  const giveUp = (generation: number) =>
    withClient({ connectionString: url }, (client) => giveUpChain(client, { ...chain, generation }));
  return { read, giveUp };
}

test('an index that gives up its chain again, as after a commit whose answer was lost, starts again as after the first time', async () => {
  const { read, giveUp } = await openRebuilds();
  expect(await giveUp(0)).toBe(true);
  expect(await giveUp(0)).toBe(true);
  expect(await read()).toEqual([{ chainId: 59141, generation: 1, isDone: false }]);
});

test('the rebuilt index of a chain is not given up within an hour', async () => {
  const { read, giveUp } = await openRebuilds();
  await giveUp(0);
  expect(await giveUp(1)).toBe(false);
  expect(await read()).toEqual([{ chainId: 59141, generation: 1, isDone: false }]);
});

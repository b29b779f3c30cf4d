import pino from 'pino';
import { afterEach, expect, test } from 'vitest';
import { watchLags } from '../../../src/platform/operations/lagWatch.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const chainId = 59141;
const closings: (() => void)[] = [];
afterEach(() => {
  for (const close of closings.splice(0)) close();
});

type World = {
  nodeBlock: number | undefined;
  readonly indexed: Map<number, number>;
  readonly folded: Map<number, number>;
  readonly silent: Set<number>;
  looks: number;
};

/** A watch over one chain whose index is at block 10. */
function watch() {
  const world: World = {
    nodeBlock: 10,
    indexed: new Map([[chainId, 10]]),
    folded: new Map([[chainId, 10]]),
    silent: new Set<number>(),
    looks: 0,
  };
  const lags = watchLags({
    chainIds: [chainId],
    readPositions: async () => {
      world.looks++;
      return world;
    },
    readNodeBlock: () => world.nodeBlock,
    intervalMs: 5,
    logger: pino({ level: 'silent' }),
  });
  closings.push(lags.close);
  const read = () => lags.read()[0];
  /** Two looks later, one of them has seen the world as it is now from beginning to end. */
  const look = () => {
    const before = world.looks;
    return waitUntil('it has looked', () => world.looks >= before + 2);
  };
  return { world, read, look };
}

test('the index is late while it lacks a block that a node has', async () => {
  const { world, read } = watch();
  world.nodeBlock = 11;
  await waitUntil('it is late', () => (read()?.indexLateMs ?? 0) > 20);
  world.indexed.set(chainId, 11);
  await waitUntil('it is not late', () => read()?.indexLateMs === 0);
});

test('a block is waited for no longer once no node of the chain answers', async () => {
  const { world, read, look } = watch();
  world.nodeBlock = 11;
  await waitUntil('the index is late', () => (read()?.indexLateMs ?? 0) > 0);
  world.nodeBlock = undefined;
  expect(read()).toMatchObject({ nodeBlock: null, indexLateMs: 0 });
  world.indexed.set(chainId, 11);
  await look();
  world.nodeBlock = 11;
  expect(read()).toMatchObject({ nodeBlock: 11, indexLateMs: 0 });
});

test('lag is counted anew when a node answers again', async () => {
  const { world, read, look } = watch();
  world.nodeBlock = 11;
  await waitUntil('the index is late', () => (read()?.indexLateMs ?? 0) > 0);
  world.nodeBlock = undefined;
  await look();
  const begunAt = performance.now();
  world.nodeBlock = 12;
  await look();
  const again = read()?.indexLateMs ?? 0;
  expect(again).toBeLessThanOrEqual(performance.now() - begunAt);
});

test('the index of a chain of which no node answers the indexer is not late', async () => {
  const { world, read, look } = watch();
  world.nodeBlock = 11;
  await waitUntil('the index is late', () => (read()?.indexLateMs ?? 0) > 0);
  world.silent.add(chainId);
  await look();
  expect(read()).toMatchObject({ nodeBlock: 11, indexLateMs: 0 });
});

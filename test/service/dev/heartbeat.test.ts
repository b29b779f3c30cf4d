import { createTestClient, http, publicActions } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Anvil, startAnvil } from '../../../src/cli/devtools/anvil.ts';
import {
  type Heartbeat,
  type HeartbeatOptions,
  startHeartbeat,
} from '../../../src/cli/devtools/heartbeat.ts';
import { waitUntil } from '../../support/waitUntil.ts';

let anvil: Anvil;
let heartbeat: Heartbeat | undefined;
beforeAll(async () => {
  anvil = await startAnvil({ chainId: 31_337 });
});
afterEach(async () => {
  await heartbeat?.stop();
});
afterAll(() => anvil?.stop());

const chain = () =>
  createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl), cacheTime: 0 }).extend(publicActions);
/** Counts the heartbeat's looks: in each look it asks `askBeside` once. */
function start(options: Pick<HeartbeatOptions, 'askBeside'> & Partial<HeartbeatOptions>) {
  let looks = 0;
  heartbeat = startHeartbeat({
    rpcUrl: anvil.rpcUrl,
    lookEveryMs: 30,
    onTrouble: () => {},
    ...options,
    askBeside: () => {
      looks++;
      return options.askBeside();
    },
  });
  return { awaitLooks: (count: number) => waitUntil(`${count} looks`, () => looks >= count) };
}

describe('startHeartbeat', () => {
  test('a chain that must not mine by itself is left alone', async () => {
    await chain().setAutomine(false);
    const before = await chain().getBlockNumber();
    const { awaitLooks } = start({ askBeside: async () => {}, idleBeatMs: 10 });
    await awaitLooks(5);
    expect(await chain().getBlockNumber()).toBe(before);
    await chain().setAutomine(true);
  });

  test('trouble is counted as long as it lasts', async () => {
    const counts: number[] = [];
    let looks = 0;
    start({
      askBeside: async () => {
        looks++;
        if (looks !== 3) throw new Error('no database');
        return chain().getBlockNumber();
      },
      onTrouble: (_, times) => counts.push(times),
    });
    await waitUntil('it was in trouble again', () => counts.length >= 4);
    expect(counts.slice(0, 4)).toEqual([1, 2, 1, 2]);
  });

  test('an idle chain gets blocks, later and later', async () => {
    const before = await chain().getBlock();
    const idleBeatMs = 150;
    const startedAt = performance.now();
    const seen: number[] = [];
    start({
      askBeside: async () => {
        const number = await chain().getBlockNumber();
        const mined = Number(number - before.number);
        if (mined > seen.length) seen.push(performance.now());
        return number;
      },
      idleBeatMs,
    });
    await waitUntil('three beats', () => seen.length >= 3);
    // With equal pauses the third beat would come after three times `idleBeatMs`.
    expect((seen[2] ?? 0) - startedAt).toBeGreaterThanOrEqual((1 + 2 + 4) * idleBeatMs);
  });
});

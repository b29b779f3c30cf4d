import { setTimeout as delay } from 'node:timers/promises';
import type { createAnvilClient } from './anvilClient.ts';

const pauseMs = 10;

export type BlockMaker = {
  /** Runs an action on the chain while no block is being mined. */
  between<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Lets Anvil mine by itself again; it mines waiting transactions at once. */
  stop(): Promise<void>;
};

/**
 * Mines blocks in place of Anvil, each with all waiting transactions. Anvil's own mining continues during a
 * reorg; then the chain has gaps, and some transactions are in two blocks.
 *
 * @param options.idleMs pause after which an empty block is mined; by default none is.
 */
export async function startBlockMaker(
  client: ReturnType<typeof createAnvilClient>,
  { idleMs = Number.POSITIVE_INFINITY }: { idleMs?: number } = {},
): Promise<BlockMaker> {
  await client.setAutomine(false);
  let isMaking = true;
  let madeAt = performance.now();
  let turn: Promise<unknown> = Promise.resolve();
  const between = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  };
  const make = async () => {
    const { pending } = await client.getTxpoolStatus();
    if (pending === 0 && performance.now() - madeAt < idleMs) return;
    await client.mine({ blocks: 1 });
    madeAt = performance.now();
  };
  const makeAll = async () => {
    while (isMaking) {
      await between(make);
      await delay(pauseMs);
    }
  };
  const making = makeAll();
  return {
    between,
    async stop() {
      isMaking = false;
      await making;
      await client.setAutomine(true);
      await make();
    },
  };
}

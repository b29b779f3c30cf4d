import { setTimeout as delay } from 'node:timers/promises';
import type { PublicClient } from 'viem';

const pollMs = 50;

/** When blocks were first seen, in milliseconds since 1970, by number. */
export type BlockTimes = {
  readonly seenAt: ReadonlyMap<bigint, number>;
  /** Looks once more and ends the watch. Rejects if the node did not answer. */
  close(): Promise<void>;
};

/** Asks for the newest block every 50 ms: the only call to the node, however many transactions are measured. */
export function watchBlockTimes(reader: Pick<PublicClient, 'getBlockNumber'>): BlockTimes {
  const seenAt = new Map<bigint, number>();
  let isClosed = false;
  let newest: bigint | undefined;
  const look = async () => {
    const number = await reader.getBlockNumber({ cacheTime: 0 });
    const now = Date.now();
    for (let next = (newest ?? number) + 1n; next <= number; next++) seenAt.set(next, now);
    newest = number;
  };
  const watching = (async () => {
    while (!isClosed) {
      await look();
      await delay(pollMs);
    }
    await look();
  })();
  // A failure is thrown by `close`.
  watching.catch(() => {});
  return {
    seenAt,
    close: () => {
      isClosed = true;
      return watching;
    },
  };
}

import type { Pace } from '../../platform/turns/pace.ts';
import { type Collecting, TurnOverError } from './collecting.ts';
import type { IndexedHistory, IndexedPlace } from './evidenceSubject.ts';
import { findProved, storeProved } from './proofStore.ts';
import { proveBlock } from './proveBlock.ts';

/** Concurrent blocks: one is fetched while another is proved. */
const blocksAtOnce = 2;

/** Each transaction once, in the order of the chain. */
export function listPlaces({ deployment, steps }: IndexedHistory): IndexedPlace[] {
  const all = [deployment, ...steps];
  return all.filter((place, at) => at === 0 || place.transactionHash !== all[at - 1]?.transactionHash);
}

/**
 * Proves what is not stored yet, a few blocks at a time.
 *
 * @throws TurnOverError if the turn ends before the last block.
 */
export async function proveHistory(
  { source: { pool }, client, record, onProgress, isTurnOver, signal }: Collecting,
  places: readonly IndexedPlace[],
  pace: Pace,
): Promise<void> {
  const proved = await findProved(pool, record, places);
  const byBlock = [...Map.groupBy(places, ({ blockHash }) => blockHash)];
  const missing = byBlock.filter(([, wanted]) =>
    wanted.some(({ blockHash, transactionHash }) => !proved.has(`${blockHash} ${transactionHash}`)),
  );
  let done = byBlock.length - missing.length;
  onProgress(done, byBlock.length);
  const queue = missing.values();
  const work = async () => {
    for (const [blockHash, wanted] of queue) {
      signal.throwIfAborted();
      const block = {
        ...{ blockHash, blockNumber: wanted[0]?.blockNumber ?? 0, pace },
        wanted: wanted.map(({ transactionHash }) => transactionHash),
      };
      await storeProved(pool, record, await proveBlock(client, block));
      onProgress(++done, byBlock.length);
      if (isTurnOver()) break;
    }
  };
  await Promise.all(Array.from({ length: blocksAtOnce }, work));
  if (done < byBlock.length) throw new TurnOverError();
}

import type { Pace } from '../../platform/turns/pace.ts';
import { type Collecting, TurnOverError } from './collecting.ts';
import { createEvidenceSize, measureInputs } from './evidenceSize.ts';
import type { IndexedHistory, IndexedPlace } from './evidenceSubject.ts';
import { findProved, type NewProof, storeProved } from './proofStore.ts';
import { proveBlock } from './proveBlock.ts';

/** Concurrent blocks: one is fetched while another is proved. */
const blocksAtOnce = 2;

/** Each transaction once, in the order of the chain. */
export function listPlaces({ deployment, steps }: IndexedHistory): IndexedPlace[] {
  const all = [deployment, ...steps];
  return all.filter((place, at) => at === 0 || place.transactionHash !== all[at - 1]?.transactionHash);
}

/**
 * Proves what is not stored yet, a few blocks at a time. Stops once the file would be too large anyway.
 *
 * @throws RefusedError `evidence_too_long`, and `storage_exceeded` if the principal has no room for more proofs.
 * @throws TurnOverError if the turn ends before the last block.
 */
export async function proveHistory(
  { source, client, record, onProgress, isTurnOver, signal }: Collecting,
  { history, places, pace }: { history: IndexedHistory; places: readonly IndexedPlace[]; pace: Pace },
): Promise<void> {
  const { pool, mostBytes, quotas } = source;
  const size = createEvidenceSize(mostBytes);
  size.add(measureInputs(history));
  const proved = await findProved(pool, record, places);
  for (const bytes of proved.values()) size.add(bytes);
  const blocks = new Set(places.map(({ blockHash }) => blockHash)).size;
  const missing = [
    ...Map.groupBy(
      places.filter(({ blockHash, transactionHash }) => !proved.has(`${blockHash} ${transactionHash}`)),
      ({ blockHash }) => blockHash,
    ),
  ];
  let done = blocks - missing.length;
  onProgress(done, blocks);
  const queue = missing.values();
  const work = async () => {
    for (const [blockHash, wanted] of queue) {
      signal.throwIfAborted();
      const block = {
        ...{ blockHash, blockNumber: wanted[0]?.blockNumber ?? 0, pace },
        wanted: wanted.map(({ transactionHash }) => transactionHash),
      };
      await quotas.check(record.principalId, 'evidence');
      const found = await proveBlock(client, block);
      const proofs: NewProof[] = [];
      for (const transaction of found.transactions) {
        const { hash, index } = transaction;
        proofs.push({ hash, index, entry: JSON.stringify(transaction) });
        await pace.breathe();
      }
      const storedBytes = await storeProved(pool, record, { block: found.block, proofs });
      quotas.note(record.principalId, { storedBytes });
      for (const { entry } of proofs) size.add(entry.length);
      onProgress(++done, blocks);
      if (isTurnOver()) break;
    }
  };
  await Promise.all(Array.from({ length: blocksAtOnce }, work));
  if (done < blocks) throw new TurnOverError();
}

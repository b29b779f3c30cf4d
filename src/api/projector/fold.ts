import type { Queryable } from '../database/database.ts';
import { announce } from './announce.ts';
import { compareBlocks } from './compareBlocks.ts';
import { deployRecords } from './deployRecords.ts';
import type { DocumentCache } from './documentCache.ts';
import { findConsumedPermits } from './findConsumedPermits.ts';
import { foldHistories } from './foldHistories.ts';
import { type IndexPosition, readIndexPosition } from './indexPosition.ts';
import { retractBlocks } from './retractBlocks.ts';
import { settlePermits } from './settlePermits.ts';
import { expireTransactions, finishTransactions, writeSettlement } from './settleTransactions.ts';
import { insertFoldedBlocks, writeProjection } from './writeProjection.ts';

/** What one process knows of its last fold of a chain; without it everything is compared. */
export type FoldMemory = {
  position: IndexPosition;
  /** Up to here the folded blocks were those of the index. */
  foldedThrough: bigint;
};

export type FoldOptions = {
  chainId: number;
  /** How many blocks a reorganisation can reach back without a new start of the indexer. */
  reorgWindow: bigint;
  cache: DocumentCache;
  memory: FoldMemory | undefined;
  /** Folds although the index is where it was: for what others have written since. */
  isForced: boolean;
};

export type Fold =
  /** Nothing to do. */
  | { kind: 'unchanged' }
  /** The index shows less than was folded: wait until it has caught up. */
  | { kind: 'waiting'; position: IndexPosition }
  | {
      kind: 'folded';
      memory: FoldMemory;
      retracted: bigint[];
      added: number;
      records: number;
      transactions: number;
      /** Whether there is more to fold at once. */
      isComplete: boolean;
    };

/** Folds what the index shows at this moment, or a part of it, into records, histories and transactions. */
export async function fold(transaction: Queryable, options: FoldOptions): Promise<Fold> {
  const { chainId, memory, cache } = options;
  const position = await readIndexPosition(transaction, chainId);
  if (!options.isForced && memory && isSame(memory, position)) return { kind: 'unchanged' };
  const floor = chooseFloor(memory, position, options.reorgWindow);
  const comparison = await compareBlocks(transaction, { chainId, position, floor });
  if (!comparison) return { kind: 'waiting', position };

  const { retracted, through } = comparison;
  const added = comparison.added.map(({ number }) => number);
  const { undeployed, shortened, reopened } = await retractBlocks(transaction, {
    chainId,
    numbers: retracted,
  });
  await insertFoldedBlocks(transaction, { chainId, blocks: comparison.added });

  const consumed = await findConsumedPermits(transaction, { chainId, added, through });
  const settled = await writeSettlement(transaction, settlePermits(consumed));
  // Only the whole index can say what did not happen.
  const head = comparison.isComplete ? position.head : null;
  const expired = head ? await expireTransactions(transaction, { chainId, head }) : [];
  if (head) await finishTransactions(transaction, { chainId, through: head.number - options.reorgWindow });

  const changedTransactions = [...new Set([...reopened, ...settled, ...expired])];
  const drafts = await deployRecords(transaction, { chainId, changedTransactions, through });
  const histories = await foldHistories(transaction, {
    chainId,
    added,
    through,
    deployed: drafts.deployed,
    shortened,
    changedTransactions,
    cache,
  });
  const foldedTo = head ?? comparison.added.at(-1);
  if (foldedTo) await writeProjection(transaction, { chainId, block: foldedTo });
  const records = [...new Set([...undeployed, ...drafts.changed, ...histories.changed])];
  await announce(transaction, { chainId, records, transactions: changedTransactions, reopened });
  return {
    kind: 'folded',
    memory: { position, foldedThrough: through },
    retracted,
    added: added.length,
    records: records.length,
    transactions: changedTransactions.length,
    isComplete: comparison.isComplete && histories.isComplete,
  };
}

function isSame({ position: last, foldedThrough }: FoldMemory, position: IndexPosition): boolean {
  return (
    last.deployment === position.deployment &&
    last.head?.hash === position.head?.hash &&
    last.through === position.through &&
    foldedThrough === position.through
  );
}

/**
 * Blocks up to the floor need not be compared again. An index that has gone back, or another deployment of it, may differ
 * anywhere; otherwise only as far back as a reorganisation reaches.
 */
function chooseFloor(memory: FoldMemory | undefined, position: IndexPosition, reorgWindow: bigint): bigint {
  const last = memory?.position;
  if (!memory || !last || last.deployment !== position.deployment || position.through < last.through)
    return -1n;
  const unsettled = last.through - reorgWindow;
  if (unsettled < memory.foldedThrough) return unsettled;
  return memory.foldedThrough;
}

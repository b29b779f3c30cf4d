import type { Queryable } from '../../platform/database/database.ts';
import { faultPoint } from '../../platform/supervision/faultPoint.ts';
import type { EventIds } from '../../records/events/eventIds.ts';
import type { Omitted } from '../notifier/fireTransitionRules.ts';
import { hasReleasable } from '../publisher/releaseEvents.ts';
import { announce } from './announce.ts';
import { findAnnouncedSince } from './announcedSince.ts';
import { compareBlocks } from './compareBlocks.ts';
import { deployRecords } from './deployRecords.ts';
import type { DocumentCache } from './documentCache.ts';
import { findConsumedPermits } from './findConsumedPermits.ts';
import { foldHistories } from './foldHistories.ts';
import { type IndexPosition, readIndexPosition } from './indexPosition.ts';
import { type Quarantined, setFree } from './quarantineRecord.ts';
import { type Retraction, retractBlocks } from './retractBlocks.ts';
import type { SeenHeads } from './seenHeads.ts';
import { settlePermits } from './settlePermits.ts';
import { expireTransactions, failMoved, finishTransactions, writeSettlement } from './settleTransactions.ts';
import { forgetComparison, insertFoldedBlocks, writeProjection } from './writeProjection.ts';

/** The scope: new blocks of the index; also what earlier folds left; also what others wrote meanwhile. */
export type FoldExtent = 'new' | 'rest' | 'whole';

export type FoldOptions = {
  chainId: number;
  /** How many blocks back a reorg can reach without a restart of the indexer. */
  reorgWindow: bigint;
  /** Blocks before an event is released, counting its own block. */
  confirmations: number;
  cache: DocumentCache;
  /** Of this process, for these confirmations. */
  seenHeads: SeenHeads;
  eventIds: EventIds;
  /** How long events are kept: older blocks are not announced again. By default they are kept for ever. */
  keptDays?: number | null | undefined;
  /** Compares everything, like a process that has just started. */
  isFirst: boolean;
  extent: FoldExtent;
  /** Each record on its own, because a fold of all together has failed; together by default. */
  isApart?: boolean;
  /** Records whose fold has failed, with the reasons: they are quarantined at once. */
  condemned?: ReadonlyMap<string, string>;
  /** Time for the histories that a reorg has shortened, 10 s by default; the others are restored later. */
  restoreLimitMs?: number;
};

export type Fold =
  /** Nothing to do. */
  | { kind: 'unchanged' }
  /** The index shows less than was folded: wait until it has caught up. */
  | { kind: 'waiting'; position: IndexPosition }
  | {
      kind: 'folded';
      position: IndexPosition;
      retracted: bigint[];
      added: number;
      records: number;
      transactions: number;
      /** Records quarantined because they cannot be folded now. */
      quarantined: readonly Quarantined[];
      /** Events that rules did not cause because of quotas. */
      omitted: Omitted;
      /** Events of the retracted blocks. */
      events: Retraction['events'];
      /** Events up to this block are to be released now; null for none. */
      releasable: bigint | null;
      /** Whether there is more to fold at once. */
      isComplete: boolean;
    };

/** Folds the current index, or a part of it, into records, histories and transactions. */
export async function fold(transaction: Queryable, options: FoldOptions): Promise<Fold> {
  const { chainId, reorgWindow, cache, eventIds, isFirst, extent } = options;
  const { isApart = false, condemned = new Map() } = options;
  const position = await readIndexPosition(transaction, chainId);
  if (extent === 'new' && !isFirst && isSame(position)) return { kind: 'unchanged' };
  const floor = isFirst ? -1n : chooseFloor(position, reorgWindow);
  const comparison = await compareBlocks(transaction, { chainId, position, floor });
  if (!comparison) {
    await forgetComparison(transaction, chainId);
    return { kind: 'waiting', position };
  }

  const { retracted, through } = comparison;
  const added = comparison.added.map(({ number }) => number);
  const { undeployed, restored, shortened, reopened, events } = await retractBlocks(transaction, {
    chainId,
    numbers: retracted,
  });
  await setFree(transaction, undeployed);
  await insertFoldedBlocks(transaction, { chainId, blocks: comparison.added });

  const isWhole = isFirst || extent === 'whole';
  const consumed = await findConsumedPermits(transaction, { chainId, added, through, isWhole });
  const settled = await writeSettlement(transaction, settlePermits(consumed));
  // Only the whole index can show what did not happen.
  const head = comparison.isComplete ? position.head : null;
  // A head without confirmations may fall out, and its time with it.
  const confirmed = position.head && options.seenHeads.confirm(position.head);
  const expired = head && confirmed ? await expireTransactions(transaction, { chainId, confirmed }) : [];
  if (head) await finishTransactions(transaction, { chainId, through: head.number - reorgWindow });

  const decided = [...new Set([...reopened, ...settled, ...expired])];
  const drafts = await deployRecords(transaction, {
    chainId,
    added,
    changedTransactions: decided,
    through,
    isWhole,
    isApart,
  });
  const moved = head && confirmed && isWhole ? await failMoved(transaction, { chainId, confirmed }) : [];
  const changedTransactions = [...new Set([...decided, ...moved])];
  const histories = await foldHistories(transaction, {
    chainId,
    added,
    through,
    deployed: drafts.deployed,
    shortened,
    changedTransactions,
    cache,
    eventIds,
    announcedSince: findAnnouncedSince(position, options.keptDays ?? null),
    isApart,
    condemned,
    restoreLimitMs: options.restoreLimitMs,
  });
  const foldedTo = head ?? comparison.added.at(-1);
  const isMoved = foldedTo !== undefined && !isSame(position);
  if (isMoved) {
    await writeProjection(transaction, { chainId, block: foldedTo, position, foldedThrough: through });
  }
  const records = [...new Set([...undeployed, ...restored, ...drafts.changed, ...histories.changed])];
  await announce(transaction, { chainId, records, transactions: changedTransactions, reopened, isMoved });
  const releasable = await findReleasable(transaction, { ...options, head: position.head });
  faultPoint('beforeFoldCommit');
  return {
    kind: 'folded',
    position,
    retracted,
    added: added.length,
    records: records.length,
    transactions: changedTransactions.length,
    quarantined: [...drafts.quarantined, ...histories.quarantined],
    omitted: histories.omitted,
    events,
    releasable,
    isComplete: comparison.isComplete && drafts.isComplete && histories.isComplete,
  };
}

/** The stored data belong to the chain of this head: blocks of another chain were just retracted. */
async function findReleasable(
  transaction: Queryable,
  { chainId, confirmations, head }: FoldOptions & { head: IndexPosition['head'] },
): Promise<bigint | null> {
  if (!head) return null;
  const through = head.number - BigInt(confirmations) + 1n;
  return (await hasReleasable(transaction, { chainId, through })) ? through : null;
}

/** Whether the index is where it was when all of it was folded. */
function isSame({ last, deployment, head, through }: IndexPosition): boolean {
  return (
    last?.deployment === deployment &&
    last.headHash === head?.hash &&
    last.through === through &&
    last.foldedThrough === through
  );
}

/**
 * Blocks up to the floor need no comparison. After the index went back, or for another deployment of it,
 * anything may differ; otherwise only blocks that a reorg can reach.
 */
function chooseFloor({ last, deployment, through }: IndexPosition, reorgWindow: bigint): bigint {
  if (last?.deployment !== deployment || through < last.through) return -1n;
  const unsettled = last.through - reorgWindow;
  if (unsettled < last.foldedThrough) return unsettled;
  return last.foldedThrough;
}

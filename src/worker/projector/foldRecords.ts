import type { Queryable } from '../../platform/database/database.ts';
import { byTurns } from '../../platform/turns/byTurns.ts';
import type { EventIds } from '../../records/events/eventIds.ts';
import type { Omitted } from '../notifier/fireTransitionRules.ts';
import { announceTransitions } from './announceTransitions.ts';
import type { DocumentCache } from './documentCache.ts';
import { extendHistories } from './extendHistories.ts';
import { mergeSubmissions } from './mergeSubmissions.ts';
import type { OwnInput } from './ownInputs.ts';
import { planTemporalRules } from './planTemporalRules.ts';
import { type RestoreTime, restoreHistories, type UnrestoredHistory } from './shortenedHistories.ts';
import { type FoldedRecord, readBeginnings, readStoredHistories } from './storedHistories.ts';
import { writeInputs } from './writeInputs.ts';
import { writeRecords } from './writeRecords.ts';

/**
 * The records to fold, by id: newly Deployed, with inputs that fell out, with new inputs, and with remaining
 * old inputs.
 */
export type RecordSelection = {
  deployed: readonly string[];
  shortened: readonly string[];
  touched: readonly string[];
  behind: readonly string[];
};

export const noRecords: RecordSelection = { deployed: [], shortened: [], touched: [], behind: [] };

type Records = RecordSelection & {
  chainId: number;
  through: bigint;
  submissions: readonly OwnInput[];
  cache: DocumentCache;
  eventIds: EventIds;
  /** Unix seconds: earlier blocks are not announced again. */
  announcedSince: bigint | undefined;
  restoreTime: RestoreTime;
};

export type FoldedRecords = {
  changed: string[];
  unrestored: UnrestoredHistory[];
  isBehind: boolean;
  omitted: Omitted;
};

/** Brings these records up to date with the index. Those whose history is not restored stay as they are. */
export async function foldRecords(transaction: Queryable, records: Records): Promise<FoldedRecords> {
  const { chainId, through, submissions, cache, eventIds, announcedSince } = records;
  const { deployed, shortened, touched, behind } = records;
  const continued = [...new Set([...touched, ...behind])];
  if (continued.length + deployed.length + shortened.length === 0) {
    return {
      changed: await mergeSubmissions(transaction, submissions),
      unrestored: [],
      isBehind: false,
      omitted: new Map(),
    };
  }
  // One after the other: a transaction has one connection.
  const beginnings = await readBeginnings(transaction, {
    chainId,
    ids: [...new Set([...shortened, ...deployed])],
  });
  const stored = await readStoredHistories(transaction, { chainId, ids: continued });
  const documents = await cache.load(transaction, [...beginnings, ...stored]);

  const isShortened = new Set(shortened);
  const lost = beginnings.filter(({ id }) => isShortened.has(id));
  const { restored, unrestored } = await restoreHistories(transaction, {
    chainId,
    beginnings: lost,
    documents,
    time: records.restoreTime,
  });
  const begun = beginnings.filter(({ id }) => !isShortened.has(id));
  // First the records that must not go back, last those that can wait.
  const isBehind = new Set(behind);
  const [late, current] = [true, false].map((wanted) =>
    byTurns(
      stored.filter(({ id }) => isBehind.has(id) === wanted),
      ownerOf,
    ),
  );
  const ordered = [...restored, ...(current ?? []), ...begun, ...(late ?? [])];

  const changed = await mergeSubmissions(transaction, submissions);
  const extended = await extendHistories(transaction, { chainId, records: ordered, through, documents });
  await writeInputs(transaction, { chainId, records: extended, submissions });
  await writeRecords(transaction, { records: extended, documents });
  const announced = { deployed: begun, extended, documents, announcedSince };
  // Lock schedules before shared texts of notifications: rules that fire use the same order.
  await planTemporalRules(transaction, { ...announced, chainId });
  const omitted = await announceTransitions(transaction, { ...announced, submissions, eventIds });
  return {
    changed: [...changed, ...extended.map(({ id }) => id)],
    unrestored,
    isBehind: extended.some((record) => record.isBehind),
    omitted,
  };
}

const ownerOf = ({ principalId }: FoldedRecord) => principalId;

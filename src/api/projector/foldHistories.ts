import { sql } from 'drizzle-orm';
import type { Queryable } from '../database/database.ts';
import { idsOf } from '../database/statements.ts';
import type { EventIds } from '../events/eventIds.ts';
import { announceTransitions } from './announceTransitions.ts';
import type { DocumentCache } from './documentCache.ts';
import { extendHistories } from './extendHistories.ts';
import { inBlocks } from './inBlocks.ts';
import { mergeSubmissions } from './mergeSubmissions.ts';
import { findMinedSubmissions, updateSubmissions } from './ownInputs.ts';
import { planTemporalRules } from './planTemporalRules.ts';
import { restoreHistories } from './shortenedHistories.ts';
import { readBeginnings, readStoredHistories } from './storedHistories.ts';
import { writeInputs } from './writeInputs.ts';
import { writeRecords } from './writeRecords.ts';

/** So many records that are behind get on in one fold. */
const behindAtOnce = 20;

export type HistoryChanges = {
  chainId: number;
  /** The blocks that are folded now, and the last one that counts. */
  added: readonly bigint[];
  through: bigint;
  /** Records that are Deployed since this fold, and those that lost inputs in it. */
  deployed: readonly string[];
  shortened: readonly string[];
  changedTransactions: readonly string[];
  cache: DocumentCache;
  eventIds: EventIds;
};

/** Brings histories, states and variables of all records concerned up to date. */
export async function foldHistories(
  transaction: Queryable,
  changes: HistoryChanges,
): Promise<{ changed: string[]; isComplete: boolean }> {
  const { chainId, deployed, shortened, cache, through, eventIds } = changes;
  const submissionsChanged = await updateSubmissions(transaction, changes);
  const submissions = await findMinedSubmissions(transaction, changes);

  const fresh = new Set([...shortened, ...deployed]);
  const touched = await findTouched(transaction, changes);
  const behind = await findBehind(transaction, chainId);
  const continued = [...new Set([...touched, ...behind])].filter((id) => !fresh.has(id));
  // One after the other: a transaction has one connection.
  const beginnings = await readBeginnings(transaction, { chainId, ids: [...fresh] });
  const stored = await readStoredHistories(transaction, { chainId, ids: continued });
  const documents = await cache.load(transaction, [...beginnings, ...stored]);

  const lost = beginnings.filter(({ id }) => shortened.includes(id));
  const restored = await restoreHistories(transaction, { chainId, beginnings: lost, documents });
  const begun = beginnings.filter(({ id }) => !shortened.includes(id));
  // Those that must not go back come first, those that have time last.
  const isBehind = new Set(behind);
  const records = [...restored, ...stored.filter(({ id }) => !isBehind.has(id)), ...begun];
  records.push(...stored.filter(({ id }) => isBehind.has(id)));

  const merged = await mergeSubmissions(transaction, submissions);
  const extended = await extendHistories(transaction, { chainId, records, through, documents });
  await writeInputs(transaction, { chainId, records: extended, submissions });
  await writeRecords(transaction, { records: extended, documents });
  await announceTransitions(transaction, { deployed: begun, extended, submissions, documents, eventIds });
  await planTemporalRules(transaction, { chainId, deployed: begun, extended, documents });
  return {
    changed: [...submissionsChanged, ...merged, ...extended.map(({ id }) => id)],
    isComplete: behind.length < behindAtOnce && !extended.some((record) => record.isBehind),
  };
}

/** Records of agreements that have an input in the blocks. */
function findTouched(
  transaction: Queryable,
  { chainId, added }: Pick<HistoryChanges, 'chainId' | 'added'>,
): Promise<string[]> {
  if (added.length === 0) return Promise.resolve([]);
  return idsOf(
    transaction,
    sql`select id from service.records
    where chain_id = ${chainId} and status = 'Deployed' and not behind and lower(address) in (
      select agreement from chain_index.inputs
      where chain_id = ${chainId} and ${inBlocks(sql`block_number`, added)})`,
  );
}

function findBehind(transaction: Queryable, chainId: number): Promise<string[]> {
  return idsOf(
    transaction,
    sql`select id from service.records where chain_id = ${chainId} and behind order by id limit ${behindAtOnce}`,
  );
}

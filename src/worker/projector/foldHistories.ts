import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { idsOf } from '../../platform/database/statements.ts';
import type { QuarantinePhase } from '../../platform/database/tables/quarantine.ts';
import type { EventIds } from '../../records/events/eventIds.ts';
import type { DocumentCache } from './documentCache.ts';
import { foldRecords, noRecords, type RecordSelection } from './foldRecords.ts';
import { inBlocks } from './inBlocks.ts';
import { findMinedSubmissions, updateSubmissions } from './ownInputs.ts';
import {
  noteShortened,
  type Quarantine,
  type Quarantined,
  readQuarantine,
  setAside,
  setFree,
  tryApart,
} from './quarantineRecord.ts';

/** The most records that catch up in one fold. */
const behindAtOnce = 20;

export type HistoryChanges = {
  chainId: number;
  /** The blocks being folded, and the last one that counts. */
  added: readonly bigint[];
  through: bigint;
  /** Records that this fold made Deployed, and those that lost inputs in it. */
  deployed: readonly string[];
  shortened: readonly string[];
  changedTransactions: readonly string[];
  cache: DocumentCache;
  eventIds: EventIds;
  /** Each record is folded on its own, because a fold of all together has failed. */
  isApart: boolean;
  /** Records that such a fold has failed for, with the reasons. */
  condemned: ReadonlyMap<string, string>;
};

export type FoldedHistories = { changed: string[]; quarantined: Quarantined[]; isComplete: boolean };

/**
 * Brings histories, states and variables of all affected records up to date. Quarantined records wait for
 * their next try.
 */
export async function foldHistories(
  transaction: Queryable,
  changes: HistoryChanges,
): Promise<FoldedHistories> {
  const { chainId, shortened, isApart, condemned } = changes;
  const submissionsChanged = await updateSubmissions(transaction, changes);
  const submissions = await findMinedSubmissions(transaction, changes);
  await noteShortened(transaction, shortened);
  const quarantine = await readQuarantine(transaction, chainId);
  const selection = await selectRecords(
    transaction,
    changes,
    (id) => quarantine.has(id) || condemned.has(id),
  );
  const run = (records: RecordSelection, ids?: ReadonlySet<string>) =>
    foldRecords(transaction, {
      ...changes,
      ...records,
      submissions: ids ? submissions.filter(({ recordId }) => ids.has(recordId)) : submissions,
    });

  const changed = [...submissionsChanged];
  const quarantined: Quarantined[] = [];
  let isBehind = selection.behind.length === behindAtOnce;
  const runApart = async (recordId: string, phase: QuarantinePhase, records: RecordSelection) => {
    const error = await tryApart(transaction, async () => {
      const result = await run(records, new Set([recordId]));
      changed.push(...result.changed);
      isBehind ||= result.isBehind;
    });
    if (error === undefined) return true;
    quarantined.push({ recordId, phase, error });
    return false;
  };

  for (const [recordId, error] of condemned) {
    quarantined.push({ recordId, phase: phaseOf(recordId, changes), error });
  }
  if (isApart) {
    const ids = [...Object.values(selection).flat(), ...submissions.map(({ recordId }) => recordId)];
    for (const id of new Set(ids)) await runApart(id, phaseOf(id, changes), only(selection, id));
  } else {
    const result = await run(selection);
    changed.push(...result.changed);
    isBehind ||= result.isBehind;
  }
  const due = findDue(quarantine);
  for (const { recordId, phase } of due.slice(0, 1)) {
    const isFree = await runApart(recordId, phase, { ...noRecords, [listOf[phase]]: [recordId] });
    if (isFree) await setFree(transaction, [recordId]);
  }
  for (const failed of quarantined) await setAside(transaction, { chainId, ...failed });
  return { changed, quarantined, isComplete: !isBehind && due.length <= 1 };
}

/** The group in which a quarantined record is folded when it is retried. */
const listOf = { begin: 'deployed', restore: 'shortened', continue: 'behind', deploy: 'behind' } as const;

/** Records that wait to be Deployed are retried together with Drafts. */
function findDue(quarantine: Quarantine): { recordId: string; phase: QuarantinePhase }[] {
  return [...quarantine].flatMap(([recordId, { phase, isDue }]) =>
    isDue && phase !== 'deploy' ? [{ recordId, phase }] : [],
  );
}

function phaseOf(id: string, { deployed, shortened }: HistoryChanges): QuarantinePhase {
  if (shortened.includes(id)) return 'restore';
  return deployed.includes(id) ? 'begin' : 'continue';
}

function only(selection: RecordSelection, id: string): RecordSelection {
  const ofId = (ids: readonly string[]) => ids.filter((other) => other === id);
  const { deployed, shortened, touched, behind } = selection;
  return {
    deployed: ofId(deployed),
    shortened: ofId(shortened),
    touched: ofId(touched),
    behind: ofId(behind),
  };
}

async function selectRecords(
  transaction: Queryable,
  { chainId, added, deployed, shortened }: HistoryChanges,
  isSetAside: (id: string) => boolean,
): Promise<RecordSelection> {
  const touched = await findTouched(transaction, { chainId, added });
  const behind = await findBehind(transaction, chainId);
  const isOpen = (id: string) => !isSetAside(id);
  const fresh = new Set([...shortened, ...deployed]);
  const isContinued = (id: string) => isOpen(id) && !fresh.has(id);
  return {
    deployed: deployed.filter(isOpen),
    shortened: shortened.filter(isOpen),
    touched: touched.filter(isContinued),
    behind: behind.filter(isContinued),
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

/** Each principal's longest-waiting record comes before any principal's second one. */
function findBehind(transaction: Queryable, chainId: number): Promise<string[]> {
  return idsOf(
    transaction,
    sql`select id from (
      select id, updated_at, row_number() over (partition by principal_id order by updated_at, id) as turn
      from service.records record where chain_id = ${chainId} and behind
        and not exists (select 1 from service.quarantined_records where record_id = record.id)) as waiting
    order by turn, updated_at, id limit ${behindAtOnce}`,
  );
}

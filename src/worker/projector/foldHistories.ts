import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { arrayOf, idsOf } from '../../platform/database/statements.ts';
import type { QuarantinePhase } from '../../platform/database/tables/quarantine.ts';
import type { EventIds } from '../../records/events/eventIds.ts';
import type { Omitted } from '../notifier/fireTransitionRules.ts';
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
import type { RestoreTime } from './shortenedHistories.ts';
import { takeFitting } from './takeFitting.ts';

/** The most records that catch up in one fold. */
const behindAtOnce = 20;
/** The most time for all histories that one fold restores, and for one that is retried, which may take many tries. */
const mostRestoreMs = 10_000;
const mostRetryMs = 2_000;

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
  /** Unix seconds: earlier blocks are not announced again. */
  announcedSince: bigint | undefined;
  /** Each record is folded on its own, because a fold of all together has failed. */
  isApart: boolean;
  /** Records whose fold has failed, with the reasons. */
  condemned: ReadonlyMap<string, string>;
  restoreLimitMs: number | undefined;
};

export type FoldedHistories = {
  changed: string[];
  quarantined: Quarantined[];
  isComplete: boolean;
  omitted: Omitted;
};

/**
 * Brings histories, states and variables of all affected records up to date. Quarantined records wait for
 * their next try.
 */
export async function foldHistories(
  transaction: Queryable,
  changes: HistoryChanges,
): Promise<FoldedHistories> {
  const { chainId, shortened, isApart, condemned, restoreLimitMs = mostRestoreMs } = changes;
  const submissionsChanged = await updateSubmissions(transaction, changes);
  await noteShortened(transaction, shortened);
  const quarantine = await readQuarantine(transaction, chainId);
  const setAsideIds = new Set([...quarantine.keys(), ...condemned.keys()]);
  const { selection, postponed, isCut } = await selectRecords(transaction, changes, setAsideIds);
  const due = findDue(quarantine);
  const retried = due.slice(0, 1);
  const retriedIds = retried.map(({ recordId }) => recordId);
  const submissions = await findMinedSubmissions(transaction, {
    ...changes,
    folded: [...Object.values(selection).flat(), ...retriedIds],
    setAside: [...setAsideIds],
  });
  const changed = [...submissionsChanged, ...postponed];
  const quarantined: Quarantined[] = [];
  const omitted = new Map<string, number>();
  let isBehind = isCut || postponed.length > 0;
  const run = async (
    records: RecordSelection,
    isOfRun: (recordId: string) => boolean,
    restoreTime: RestoreTime,
  ) => {
    const result = await foldRecords(transaction, {
      ...changes,
      ...records,
      submissions: submissions.filter(({ recordId }) => isOfRun(recordId)),
      restoreTime,
    });
    changed.push(...result.changed);
    isBehind ||= result.isBehind;
    for (const [id, count] of result.omitted) omitted.set(id, (omitted.get(id) ?? 0) + count);
    for (const unrestored of result.unrestored) quarantined.push({ ...unrestored, phase: 'restore' });
    return result.unrestored.length === 0;
  };
  const runApart = async (
    recordId: string,
    phase: QuarantinePhase,
    records: RecordSelection,
    restoreTime: RestoreTime,
  ) => {
    let isFolded = false;
    const error = await tryApart(transaction, async () => {
      isFolded = await run(records, (id) => id === recordId, restoreTime);
    });
    if (error !== undefined) quarantined.push({ recordId, phase, error });
    return error === undefined && isFolded;
  };

  for (const [recordId, error] of condemned) {
    // If another fold has already quarantined it, that fold's phase stays: this fold may not know it.
    if (!quarantine.has(recordId)) quarantined.push({ recordId, phase: phaseOf(recordId, changes), error });
  }
  // A record that is retried is not folded twice.
  const isOther = (id: string) => !retriedIds.includes(id);
  const restoreTime = { leftMs: restoreLimitMs };
  if (isApart) {
    const ids = [...Object.values(selection).flat(), ...submissions.map(({ recordId }) => recordId)];
    for (const id of new Set(ids.filter(isOther))) {
      await runApart(id, phaseOf(id, changes), only(selection, id), restoreTime);
    }
  } else {
    let lost = await takeFitting(transaction, selection.shortened);
    const restored = new Set<string>();
    // Lost inputs must not stay visible, so as many histories as time allows are restored now.
    for (; lost.others.length > 0; lost = await takeFitting(transaction, lost.others)) {
      const group = new Set(lost.fitting);
      await run({ ...noRecords, shortened: lost.fitting }, (id) => group.has(id), restoreTime);
      for (const id of group) restored.add(id);
    }
    const isOfRun = (id: string) => isOther(id) && !restored.has(id);
    await run({ ...selection, shortened: lost.fitting }, isOfRun, restoreTime);
  }
  for (const { recordId, phase } of retried) {
    const selected = { ...noRecords, [listOf[phase]]: [recordId] };
    const isFree = await runApart(recordId, phase, selected, {
      leftMs: changes.restoreLimitMs ?? mostRetryMs,
    });
    if (isFree) await setFree(transaction, [recordId]);
  }
  for (const failed of quarantined) await setAside(transaction, { chainId, ...failed });
  return { changed, quarantined, isComplete: !isBehind && due.length <= 1, omitted };
}

/** The group in which a quarantined record is folded when it is retried. */
const listOf = { begin: 'deployed', restore: 'shortened', continue: 'behind' } as const;

/** Records that wait to be Deployed are retried together with Drafts. */
function findDue(quarantine: Quarantine): { recordId: string; phase: Exclude<QuarantinePhase, 'deploy'> }[] {
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

type Selected = {
  selection: RecordSelection;
  /** Records with new inputs that do not fit into this fold: they are behind now. */
  postponed: string[];
  /** Whether records that were behind do not fit either. */
  isCut: boolean;
};

async function selectRecords(
  transaction: Queryable,
  { chainId, added, deployed, shortened }: HistoryChanges,
  setAsideIds: ReadonlySet<string>,
): Promise<Selected> {
  const isOpen = (id: string) => !setAsideIds.has(id);
  const fresh = new Set([...shortened, ...deployed]);
  const isContinued = (id: string) => isOpen(id) && !fresh.has(id);
  const touched = (await findTouched(transaction, { chainId, added })).filter(isContinued);
  const found = await findBehind(transaction, chainId);
  const behind = found.filter(isContinued);
  // Separate limits: records that are behind do not wait for new inputs, however many.
  const current = await takeFitting(transaction, touched);
  const late = await takeFitting(transaction, behind);
  await postpone(transaction, current.others);
  return {
    selection: {
      deployed: deployed.filter(isOpen),
      shortened: shortened.filter(isOpen),
      touched: current.fitting,
      behind: late.fitting,
    },
    postponed: current.others,
    isCut: found.length === behindAtOnce || late.others.length > 0,
  };
}

/** A postponed record is unchanged, and still right at the block of its state. */
async function postpone(transaction: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await transaction.execute(sql`
    update service.records set behind = true, updated_at = now() where id = any(${arrayOf(ids)}::text[])`);
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

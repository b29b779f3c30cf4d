import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowAs, RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf, idsOf } from '../../platform/database/statements.ts';
import type {
  QuarantinePhase,
  quarantinedRecords,
  RestoredPart,
} from '../../platform/database/tables/quarantine.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { keepWallets } from '../../records/sharing/participantWallets.ts';
import { classifyFoldFailure } from './foldFailure.ts';
import { isOwnFault } from './recordFoldError.ts';

/** Quarantined records, by id: the next step of each, and whether a retry is due. */
export type Quarantine = ReadonlyMap<string, { phase: QuarantinePhase; isDue: boolean }>;

export type Quarantined = {
  recordId: string;
  phase: QuarantinePhase;
  error: string;
  /** What a try has restored of a history; the next try follows soon. */
  part?: RestoredPart | null;
};

/** The pause after the first failure, which doubles with each further one, and the longest pause. */
const firstPauseSeconds = 30;
const longestPauseSeconds = 6 * 3_600;
/** The pause between two parts of a long history: the chain's other records are folded meanwhile. */
const partPauseSeconds = 3;
const longestError = 500;
/** A retry on its own must not delay the others for long. */
const statementLimit = '2s';

type QuarantineRow = RowAs<typeof quarantinedRecords, { id: 'record_id' }> &
  RowOf<typeof quarantinedRecords, 'phase'> & { is_due: boolean };

export async function readQuarantine(transaction: Queryable, chainId: number): Promise<Quarantine> {
  const { rows } = await transaction.execute<QuarantineRow>(sql`
    select record_id as id, phase, retry_at <= clock_timestamp() as is_due from service.quarantined_records
    where chain_id = ${chainId} order by retry_at`);
  return new Map(rows.map(({ id, phase, is_due }) => [id, { phase, isDue: is_due }]));
}

/**
 * Quarantines a record, for longer each time that it has made no progress. A record that had not begun yet shows its
 * deployment's data meanwhile. A record whose deployment fell out meanwhile is not quarantined.
 */
export async function setAside(
  transaction: Queryable,
  { chainId, recordId, phase, error, part = null }: Quarantined & { chainId: number },
): Promise<void> {
  await transaction.execute(sql`
    insert into service.quarantined_records as quarantined (record_id, chain_id, phase, error, restored, retry_at)
    select id, chain_id, ${phase}, ${error}, ${part === null ? null : JSON.stringify(part)}::json,
      clock_timestamp() + make_interval(secs => ${part === null ? firstPauseSeconds : partPauseSeconds}::int)
    from service.records where id = ${recordId} and chain_id = ${chainId} and (status = 'Deployed') = (${phase} <> 'deploy')
    on conflict (record_id) do update set phase = excluded.phase, error = excluded.error,
      restored = coalesce(excluded.restored, quarantined.restored),
      failures = quarantined.failures + case when excluded.restored is null then 1 else 0 end,
      retry_at = case when excluded.restored is null
        then clock_timestamp() + make_interval(secs => least(${longestPauseSeconds}::float8,
          ${firstPauseSeconds}::int * 2 ^ least(quarantined.failures, 20)))
        else excluded.retry_at end`);
  if (phase === 'restore') await closeToLostWallets(transaction, [recordId]);
  if (phase !== 'begin') return;
  await transaction.execute(sql`
    update service.records set state_hash = initial_state_hash, state = initial_state_hash,
      state_block_number = deploy_block_number, state_updated_at = now(), updated_at = now()
    where id = ${recordId} and state_hash is null`);
}

export async function setFree(transaction: Queryable, recordIds: readonly string[]): Promise<void> {
  if (recordIds.length === 0) return;
  await transaction.execute(sql`
    delete from service.quarantined_records where record_id = any(${arrayOf(recordIds)}::text[])`);
}

/** If a reorg took inputs from a quarantined record, the retry must restore it first. */
export async function noteShortened(transaction: Queryable, recordIds: readonly string[]): Promise<void> {
  if (recordIds.length === 0) return;
  const noted = await idsOf(
    transaction,
    sql`update service.quarantined_records set phase = 'restore'
    where record_id = any(${arrayOf(recordIds)}::text[]) and phase = 'continue'
    returning record_id as id`,
  );
  await closeToLostWallets(transaction, noted);
}

/** Until a history is restored, only wallets that its beginning names may enter: lost inputs may have named the others. */
async function closeToLostWallets(transaction: Queryable, recordIds: readonly string[]): Promise<void> {
  if (recordIds.length === 0) return;
  const { rows } = await transaction.execute<
    RowOf<typeof records, 'id' | 'access_variables' | 'initial_variables'>
  >(sql`
    select id, access_variables, initial_variables from service.records
    where id = any(${arrayOf(recordIds)}::text[]) and access_variables is not null`);
  await keepWallets(
    transaction,
    rows.map(({ id, access_variables: accessVariables, initial_variables: variables }) => ({
      id,
      accessVariables: accessVariables ?? [],
      variables,
    })),
  );
}

/**
 * Runs work on one record, and undoes only that work if it fails by the record's own fault. Returns the
 * reason.
 */
export async function tryApart(
  transaction: Queryable,
  run: () => Promise<unknown>,
): Promise<string | undefined> {
  const before = await transaction.execute<{ limit: string }>(
    sql`select current_setting('statement_timeout') as limit`,
  );
  await transaction.execute(sql`savepoint apart`);
  await transaction.execute(sql.raw(`set local statement_timeout = '${statementLimit}'`));
  try {
    await run();
  } catch (error) {
    if (classifyFoldFailure(error) !== 'unexpected' || !isOwnFault(error)) throw error;
    await transaction.execute(sql`rollback to savepoint apart`);
    await transaction.execute(sql`release savepoint apart`);
    return explainFailure(error);
  }
  await transaction.execute(sql`release savepoint apart`);
  await transaction.execute(
    sql`select set_config('statement_timeout', ${before.rows[0]?.limit ?? '0'}, true)`,
  );
  return undefined;
}

/** The beginning of an error, in storable form. */
export function explainFailure(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll('\0', '').slice(0, longestError).toWellFormed();
}

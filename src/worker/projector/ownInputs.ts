import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { indexedInputs } from '../../platform/database/indexView.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf, idsOf, recordsOf } from '../../platform/database/statements.ts';
import type { inputs } from '../../platform/database/tables/inputs.ts';
import { isSameAgreement } from '../../records/agreements/sameAgreement.ts';
import { findFailures } from './findFailures.ts';
import { failureOf } from './projectedColumns.ts';

/** A submission of a record's principal in the index, and its position in the agreement's history. */
export type OwnInput = { id: string; recordId: string; position: number };

export type Submissions = { chainId: number; changedTransactions: readonly string[]; through: bigint };

const moved = {
  reason: 'agreement_moved',
  message:
    'A reorganisation put another agreement at the signed address. The permit took effect on that agreement.',
};

/**
 * Reopens failed submissions whose transaction is open or mined. Fails those whose transaction failed, and those whose
 * transaction is mined at an address where the record's agreement is no longer. Returns the affected records.
 */
export async function updateSubmissions(
  transaction: Queryable,
  { chainId, changedTransactions }: Submissions,
): Promise<string[]> {
  const waiting = await idsOf(
    transaction,
    sql`update service.inputs input set status = 'PENDING', error = null, updated_at = now()
    from service.transactions sent
    where input.transaction_id = any(${arrayOf(changedTransactions)}::text[]) and input.status = 'FAILED'
      and sent.id = input.transaction_id and sent.state <> 'failed'
    returning input.record_id as id`,
  );
  const errors = await findFailures(
    transaction,
    sql`select input.id, ${failureOf}
    from service.inputs input
    join service.transactions sent on sent.id = input.transaction_id and sent.state = 'failed'
    where input.chain_id = ${chainId} and input.status = 'PENDING'`,
  );
  errors.push(...(await findMoved(transaction, chainId)));
  if (errors.length === 0) return waiting;
  const failed = await idsOf(
    transaction,
    sql`update service.inputs input set status = 'FAILED', error = failed.error::json, updated_at = now(), tx_hash = coalesce((
      select sent.tx_hash from service.transactions sent where sent.id = input.transaction_id), input.tx_hash)
    from ${recordsOf(errors)} as failed(id text, error text)
    where input.id = failed.id
    returning input.record_id as id`,
  );
  return [...waiting, ...failed];
}

/**
 * Waiting inputs whose transaction took effect on another agreement. A mined transaction shows that its contract exists:
 * it is another agreement unless the record is Deployed there or about to be. If a reorg removes that agreement, the
 * transaction falls out too, and its input waits again.
 */
async function findMoved(transaction: Queryable, chainId: number): Promise<{ id: string; error: string }[]> {
  const ids = await idsOf(
    transaction,
    sql`select input.id from service.inputs input
    join service.transactions sent on sent.id = input.transaction_id and sent.state in ('mined', 'final')
    join service.records record on record.id = input.record_id
    where input.chain_id = ${chainId} and input.status = 'PENDING' and case
      when record.status = 'Deployed' then record.address <> sent.contract
      when record.error is not null then true
      when record.deploy_transaction_id is null then not exists (
        select 1 from chain_index.agreements shown
        where shown.chain_id = ${chainId} and shown.address = lower(sent.contract)
          and ${sql.raw(isSameAgreement('record', 'shown'))})
      else not exists (
        select 1 from service.transactions deployed
        where deployed.id = record.deploy_transaction_id and deployed.state in ('mined', 'final')) end`,
  );
  return ids.map((id) => ({ id, error: JSON.stringify(moved) }));
}

type MinedRow = RowOf<typeof inputs, 'id' | 'record_id'> & RowOf<typeof indexedInputs, 'position'>;

export type SoughtSubmissions = Pick<Submissions, 'chainId' | 'through'> & {
  /** The records that this fold continues. */
  folded: readonly string[];
  /** Records in quarantine. */
  setAside: readonly string[];
};

/**
 * Waiting submissions whose transaction is mined, with their position in the index. Those of records that are behind or
 * in quarantine wait until their record is folded: a fold must not read them all for nothing.
 */
export async function findMinedSubmissions(
  transaction: Queryable,
  { chainId, through, folded, setAside }: SoughtSubmissions,
): Promise<OwnInput[]> {
  const { rows } = await transaction.execute<MinedRow>(sql`
    select input.id, input.record_id, shown.position
    from service.inputs input
    join service.transactions sent on sent.id = input.transaction_id and sent.state in ('mined', 'final')
    join service.records record
      on record.id = input.record_id and record.status = 'Deployed' and record.address = sent.contract
      and (record.id = any(${arrayOf(folded)}::text[])
        or not record.behind and record.id <> all(${arrayOf(setAside)}::text[]))
    join chain_index.inputs shown
      on shown.chain_id = input.chain_id and shown.agreement = lower(sent.contract)
      and shown.permit_signer = lower(sent.signer) and shown.permit_nonce = sent.permit_nonce
    where input.chain_id = ${chainId} and input.status = 'PENDING' and shown.chain_id = ${chainId}
      and shown.block_number <= ${through}`);
  return rows.map(({ id, record_id, position }) => ({ id, recordId: record_id, position }));
}

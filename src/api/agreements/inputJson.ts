import type pg from 'pg';
import { inGroups } from '../../platform/database/inGroups.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { inputs } from '../../platform/database/tables/inputs.ts';
import { secondsSql, toInstant } from '../../platform/lists/instant.ts';

/** The tables of an input: `i` for the input, `t` for the transaction of a submission. */
export const inputTables = 'service.inputs i left join service.transactions t on t.id = i.transaction_id';

/**
 * Before an input is mined, the hash is that of its newest attempt. A failed one keeps the hash that it failed with, even
 * if another principal sends the same permit again.
 */
export const inputColumns = `i.id, i.record_id, i.agreement_address, i.chain_id, i.input_id, i.user_id, i.signer,
  i.submitter, i.from_state, i.to_state, i.status, i.payload, i."values",
  case i.status when 'MINED' then i.tx_hash
    when 'FAILED' then coalesce(i.tx_hash, case when t.state = 'failed' then t.tx_hash end)
    else coalesce(t.tx_hash, i.tx_hash) end as tx_hash,
  i.block_number::float8 as block_number, i.error,
  ${secondsSql('i.created_at')} as created_at, ${secondsSql('i.updated_at')} as updated_at`;

export type InputRow = RowOf<
  typeof inputs,
  | 'id'
  | 'record_id'
  | 'agreement_address'
  | 'chain_id'
  | 'input_id'
  | 'user_id'
  | 'signer'
  | 'submitter'
  | 'from_state'
  | 'to_state'
  | 'status'
  | 'payload'
  | 'values'
  | 'tx_hash'
  | 'error'
> & { block_number: number | null; created_at: number; updated_at: number };

export const inputNames = [
  'id',
  'record_id',
  'agreement_address',
  'chain_id',
  'input_id',
  'user_id',
  'signer',
  'submitter',
  'from_state',
  'to_state',
  'status',
  'payload',
  'values',
  'tx_hash',
  'block_number',
  'error',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof InputRow)[];

/** An input in wire form. */
export function toInputResource(row: InputRow) {
  return {
    id: row.id,
    agreementId: row.record_id,
    agreementAddress: row.agreement_address,
    chainId: row.chain_id,
    inputId: row.input_id,
    userId: row.user_id ?? undefined,
    signer: row.signer ?? undefined,
    submitter: row.submitter ?? undefined,
    fromState: row.from_state ?? undefined,
    toState: row.to_state ?? undefined,
    status: row.status,
    payload: row.payload,
    values: row.values,
    txHash: row.tx_hash,
    blockNumber: row.block_number ?? undefined,
    error: row.error ?? undefined,
    createdAt: toInstant(row.created_at),
    updatedAt: toInstant(row.updated_at),
  };
}

/** An input for readers who must not see who submitted it. */
export function toSharedInput(row: InputRow) {
  const { userId: _, ...shared } = toInputResource(row);
  return shared;
}

/** One input, which must exist. Concurrent look-ups are read together. */
export async function readInput(pool: pg.Pool, id: string): Promise<InputRow> {
  const row = await readOne(pool, id);
  if (!row) throw new Error(`the input ${id} is gone`);
  return row;
}

const readOne = inGroups<string, InputRow | undefined>(async (pool, ids) => {
  const text = `select ${inputColumns} from ${inputTables} where i.id = any($1)`;
  const rows = await runPrepared<InputRow>(pool, text, [ids]);
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => found.get(id));
});

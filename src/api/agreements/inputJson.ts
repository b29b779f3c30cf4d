import type pg from 'pg';
import { runPrepared } from '../database/runPrepared.ts';
import { instantSql } from './jsonText.ts';

/** The tables that an input's JSON is made of: `i` for the input, `t` for the transaction of a submission. */
export const inputTables = 'service.inputs i left join service.transactions t on t.id = i.transaction_id';

/**
 * SQL for an input as the wire shows it, as text. Parts that may hold any text of others' are added as they are stored: taking
 * JSON apart would stumble over some.
 */
export const inputJson = `left(json_strip_nulls(json_build_object(
    'id', i.id, 'agreementId', i.record_id, 'agreementAddress', i.agreement_address, 'chainId', i.chain_id,
    'inputId', i.input_id, 'userId', i.user_id, 'signer', i.signer, 'submitter', i.submitter,
    'fromState', i.from_state, 'toState', i.to_state, 'status', i.status, 'payload', i.payload,
    'blockNumber', i.block_number,
    'createdAt', ${instantSql('i.created_at')}, 'updatedAt', ${instantSql('i.updated_at')}))::text, -1)
  || ',"values":' || i."values"::text || ',"txHash":'
  || coalesce('"' || case when i.status = 'MINED' then i.tx_hash else coalesce(t.tx_hash, i.tx_hash) end || '"', 'null')
  || case when i.error is null then '' else ',"error":' || i.error::text end || '}'`;

/** One input as JSON; it has to be there. */
export async function readInput(pool: pg.Pool, id: string): Promise<string> {
  const text = `select ${inputJson} as json from ${inputTables} where i.id = $1`;
  const rows = await runPrepared<{ json: string }>(pool, text, [id]);
  const [row] = rows;
  if (!row) throw new Error(`the input ${id} is gone`);
  return row.json;
}

import type pg from 'pg';
import { type Position, writeCursor } from './cursor.ts';
import { instantSql } from './jsonText.ts';
import { type OwnedQuery, queryOwned, type RecordReference } from './recordReference.ts';

/** One page of a list, as a JSON array. */
export type ListPage = { readonly dataText: string; readonly nextCursor: string | null };

export type InputQuery = {
  readonly reference: RecordReference;
  readonly principalId: string;
  readonly limit: number;
  readonly after?: Position | undefined;
};

/** Parts that may hold any text of others' are added as they are stored: taking JSON apart would stumble over some. */
const inputJson = `left(json_strip_nulls(json_build_object(
    'id', i.id, 'agreementId', i.record_id, 'agreementAddress', i.agreement_address, 'chainId', i.chain_id,
    'inputId', i.input_id, 'userId', i.user_id, 'signer', i.signer, 'submitter', i.submitter,
    'fromState', i.from_state, 'toState', i.to_state, 'status', i.status, 'payload', i.payload,
    'blockNumber', i.block_number,
    'createdAt', ${instantSql('i.created_at')}, 'updatedAt', ${instantSql('i.updated_at')}))::text, -1)
  || ',"values":' || i."values"::text || ',"txHash":'
  || coalesce('"' || case when i.status = 'MINED' then i.tx_hash else coalesce(t.tx_hash, i.tx_hash) end || '"', 'null')
  || case when i.error is null then '' else ',"error":' || i.error::text end || '}'`;

const withTransaction = 'service.inputs i left join service.transactions t on t.id = i.transaction_id';

type InputRow = { json: string | null; epoch_ms: string | null; row_id: string | null };

/**
 * A page of a record's history, the newest first: one row more than asked for is read, to know whether there is another page.
 *
 * @throws NotFoundError, AccessError, MalformedError as `queryOwned` does.
 */
export async function listInputs(pool: pg.Pool, request: InputQuery): Promise<ListPage> {
  const { reference, principalId, limit, after } = request;
  const query: OwnedQuery = {
    name: after ? 'inputs after' : 'inputs',
    columns: 'page.json, page.epoch_ms, page.row_id',
    joins: `left join lateral (
      select ${inputJson} as json, (extract(epoch from i.created_at) * 1000)::bigint as epoch_ms, i.id as row_id
      from ${withTransaction}
      where i.record_id = r.id ${after ? "and (i.created_at, i.id) < (to_timestamp(0) + $5 * interval '1 millisecond', $6)" : ''}
      order by i.created_at desc, i.id desc limit $4) page on true`,
    parameters: after ? [limit + 1, after.epochMs, after.id] : [limit + 1],
  };
  const rows = await queryOwned<InputRow>(pool, { reference, principalId, query });
  const found = rows.flatMap(({ json, epoch_ms, row_id }) =>
    json !== null && epoch_ms !== null && row_id !== null
      ? [{ json, epochMs: Number(epoch_ms), id: row_id }]
      : [],
  );
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    dataText: `[${page.map(({ json }) => json).join(',')}]`,
    nextCursor: found.length > limit && last ? writeCursor(last) : null,
  };
}

/** One input as JSON; it has to be there. */
export async function readInput(pool: pg.Pool, id: string): Promise<string> {
  const { rows } = await pool.query<{ json: string }>({
    name: 'input',
    text: `select ${inputJson} as json from ${withTransaction} where i.id = $1`,
    values: [id],
  });
  const [row] = rows;
  if (!row) throw new Error(`the input ${id} is gone`);
  return row.json;
}

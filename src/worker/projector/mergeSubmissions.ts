import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { recordsOf } from '../../platform/database/statements.ts';
import type { inputs } from '../../platform/database/tables/inputs.ts';
import { type MinedFacts, markMined } from './markMined.ts';
import type { OwnInput } from './ownInputs.ts';

/**
 * If a submission was stored only after the index had shown it, it replaces the row made for it: the
 * submission's id stays. Submissions that are not in the history yet are left alone. Returns the affected
 * records.
 */
export async function mergeSubmissions(
  transaction: Queryable,
  submissions: readonly OwnInput[],
): Promise<string[]> {
  if (submissions.length === 0) return [];
  const places = submissions.map(({ id, recordId, position }) => ({ id, record_id: recordId, position }));
  const { rows } = await transaction.execute<MinedFacts & RowOf<typeof inputs, 'record_id'>>(sql`
    delete from service.inputs input
    using ${recordsOf(places)} as place(id text, record_id text, position int)
    where input.record_id = place.record_id and input.position = place.position and input.transaction_id is null
    returning place.id, input.record_id, input.signer, input.submitter, input.from_state, input.to_state, input.tx_hash, input.position,
      input.transaction_ordinal, input.sequence, input.block_number::text`);
  await markMined(transaction, rows);
  return rows.map(({ record_id }) => record_id);
}

import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { NotNull, RowOf } from '../../platform/database/rowOf.ts';
import { recordsOf } from '../../platform/database/statements.ts';
import type { inputs } from '../../platform/database/tables/inputs.ts';

export type MinedFacts = RowOf<typeof inputs, 'id' | 'signer' | 'submitter' | 'sequence'> &
  NotNull<
    RowOf<
      typeof inputs,
      'from_state' | 'to_state' | 'tx_hash' | 'position' | 'transaction_ordinal' | 'block_number'
    >
  >;

/** Makes submissions MINED. Payload and values stay as stored at the submission. */
export async function markMined(transaction: Queryable, mined: readonly MinedFacts[]): Promise<void> {
  if (mined.length === 0) return;
  const facts = mined.map((row) => ({
    id: row.id,
    signer: row.signer,
    submitter: row.submitter,
    from_state: row.from_state,
    to_state: row.to_state,
    tx_hash: row.tx_hash,
    position: row.position,
    transaction_ordinal: row.transaction_ordinal,
    sequence: row.sequence,
    block_number: row.block_number,
  }));
  await transaction.execute(sql`
    update service.inputs input set status = 'MINED', error = null, signer = shown.signer, submitter = shown.submitter,
      from_state = shown.from_state, to_state = shown.to_state, tx_hash = shown.tx_hash, position = shown.position,
      transaction_ordinal = shown.transaction_ordinal, sequence = shown.sequence,
      block_number = shown.block_number, updated_at = now()
    from ${recordsOf(facts)} as shown(id text, signer text, submitter text, from_state text, to_state text,
      tx_hash text, position int, transaction_ordinal int, sequence int, block_number bigint)
    where input.id = shown.id`);
}

import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { recordsOf } from '../../platform/database/statements.ts';
import type { adoptedInputs } from '../../platform/database/tables/adoptedInputs.ts';
import type { records } from '../../platform/database/tables/records.ts';
import type { MinedInput } from './history.ts';

/** The last block of an adopted history, and whether later inputs may belong to it too. */
export type AdoptionBorder = { through: bigint; isKeyed: boolean };

/** Null for a record that was deployed here. */
export function readBorder({
  adopted_through: through,
  adopted_final: final,
}: RowOf<typeof records, 'adopted_through' | 'adopted_final'>): AdoptionBorder | null {
  if (final !== null) return { through: BigInt(final), isKeyed: true };
  return through === null ? null : { through: BigInt(through), isKeyed: false };
}

type Extended = { recordId: string; mined: readonly MinedInput[]; border: AdoptionBorder | null };

/** The inputs that their agreements had when they were adopted, whatever their blocks are now. */
export async function findAdoptedInputs(
  transaction: Queryable,
  extended: readonly Extended[],
): Promise<ReadonlySet<MinedInput>> {
  const adopted = new Set<MinedInput>();
  const later = new Map<string, MinedInput>();
  const keys: { record_id: string; transaction_hash: string; ordinal: number }[] = [];
  for (const { recordId, mined, border } of extended) {
    if (!border) continue;
    for (const input of mined) {
      const { blockNumber, txHash, transactionOrdinal: ordinal } = input;
      if (blockNumber <= border.through) adopted.add(input);
      else if (border.isKeyed) {
        later.set(keyOf(recordId, txHash, ordinal), input);
        keys.push({ record_id: recordId, transaction_hash: txHash, ordinal });
      }
    }
  }
  if (keys.length === 0) return adopted;
  const { rows } = await transaction.execute<
    RowOf<typeof adoptedInputs, 'record_id' | 'transaction_hash' | 'ordinal'>
  >(sql`
    select adopted.record_id, adopted.transaction_hash, adopted.ordinal
    from ${recordsOf(keys)} as mined(record_id text, transaction_hash text, ordinal int)
    join service.adopted_inputs adopted on adopted.record_id = mined.record_id
      and adopted.transaction_hash = mined.transaction_hash and adopted.ordinal = mined.ordinal`);
  for (const { record_id: recordId, transaction_hash: hash, ordinal } of rows) {
    const input = later.get(keyOf(recordId, hash, ordinal));
    if (input) adopted.add(input);
  }
  return adopted;
}

function keyOf(recordId: string, transactionHash: string, ordinal: number): string {
  return `${recordId} ${transactionHash} ${ordinal}`;
}

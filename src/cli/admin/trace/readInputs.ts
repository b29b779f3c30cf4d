import { desc, inArray, or } from 'drizzle-orm';
import type { Database } from '../../../platform/database/database.ts';
import { inputs } from '../../../platform/database/tables/inputs.ts';

/** For an agreement with a long history, only its latest inputs are shown. */
const mostInputs = 50;

/** The latest inputs of these ids, of these transactions and of these records; oldest first. */
export async function readInputs(
  database: Database,
  wanted: { ids: readonly string[]; transactionIds: readonly string[]; recordIds: readonly string[] },
) {
  const rows = await database
    .select()
    .from(inputs)
    .where(
      or(
        inArray(inputs.id, [...wanted.ids]),
        inArray(inputs.transactionId, [...wanted.transactionIds]),
        inArray(inputs.recordId, [...wanted.recordIds]),
      ),
    )
    .orderBy(desc(inputs.createdAt), desc(inputs.id))
    .limit(mostInputs);
  return rows.toReversed().map((input) => ({
    id: input.id,
    recordId: input.recordId,
    transactionId: input.transactionId,
    principalId: input.userId,
    inputId: input.inputId,
    status: input.status,
    signer: input.signer,
    submitter: input.submitter,
    fromState: input.fromState,
    toState: input.toState,
    sequence: input.sequence,
    position: input.position,
    txHash: input.txHash,
    blockNumber: input.blockNumber?.toString() ?? null,
    error: input.error,
    createdAt: input.createdAt,
    updatedAt: input.updatedAt,
  }));
}

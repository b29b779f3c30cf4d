import { asc, eq, inArray, or } from 'drizzle-orm';
import type { Database } from '../../../platform/database/database.ts';
import { principals } from '../../../platform/database/tables/access.ts';
import { records } from '../../../platform/database/tables/records.ts';

/** The records of these ids, and those deployed by these transactions, with their principals; oldest first. */
export async function readRecords(
  database: Database,
  { ids, transactionIds }: { ids: readonly string[]; transactionIds: readonly string[] },
) {
  const rows = await database
    .select({ record: records, principalName: principals.name })
    .from(records)
    .innerJoin(principals, eq(principals.id, records.principalId))
    .where(or(inArray(records.id, [...ids]), inArray(records.deployTransactionId, [...transactionIds])))
    .orderBy(asc(records.createdAt));
  return rows.map(({ record, principalName }) => ({
    id: record.id,
    principalId: record.principalId,
    principalName,
    chainId: record.chainId,
    address: record.address,
    status: record.status,
    displayName: record.displayName,
    docHash: record.docHash,
    state: record.state,
    stateBlockNumber: record.stateBlockNumber?.toString() ?? null,
    error: record.error,
    deployTransactionId: record.deployTransactionId,
    deployTxHash: record.deployTxHash,
    deployBlockNumber: record.deployBlockNumber?.toString() ?? null,
    adoptedThrough: record.adoptedThrough?.toString() ?? null,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  }));
}

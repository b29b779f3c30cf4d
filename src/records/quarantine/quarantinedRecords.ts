import { asc, eq, sql } from 'drizzle-orm';
import { channels } from '../../platform/database/channels.ts';
import type { Database } from '../../platform/database/database.ts';
import { principals } from '../../platform/database/tables/access.ts';
import { type QuarantinePhase, quarantinedRecords } from '../../platform/database/tables/quarantine.ts';
import { records } from '../../platform/database/tables/records.ts';
import { AdministrationError } from '../principals/administrationError.ts';

/** A record whose fold has failed: the reason, the number of tries, the first failure, and the next try. */
export type QuarantinedRecord = {
  recordId: string;
  principalName: string;
  chainId: number;
  phase: QuarantinePhase;
  failures: number;
  createdAt: Date;
  retryAt: Date;
  error: string;
};

const listed = {
  recordId: quarantinedRecords.recordId,
  principalName: principals.name,
  chainId: quarantinedRecords.chainId,
  phase: quarantinedRecords.phase,
  failures: quarantinedRecords.failures,
  createdAt: quarantinedRecords.createdAt,
  retryAt: quarantinedRecords.retryAt,
  error: quarantinedRecords.error,
};

/** All quarantined records, oldest first. */
export function listQuarantine(database: Database): Promise<QuarantinedRecord[]> {
  return database
    .select(listed)
    .from(quarantinedRecords)
    .innerJoin(records, eq(records.id, quarantinedRecords.recordId))
    .innerJoin(principals, eq(principals.id, records.principalId))
    .orderBy(asc(quarantinedRecords.createdAt), asc(quarantinedRecords.recordId));
}

/** The details of one quarantined record, with the state that it shows meanwhile. */
export async function getQuarantined(database: Database, recordId: string) {
  const [found] = await database
    .select({
      ...listed,
      displayName: records.displayName,
      address: records.address,
      state: records.state,
      stateBlockNumber: records.stateBlockNumber,
      inputCount: records.inputCount,
    })
    .from(quarantinedRecords)
    .innerJoin(records, eq(records.id, quarantinedRecords.recordId))
    .innerJoin(principals, eq(principals.id, records.principalId))
    .where(eq(quarantinedRecords.recordId, recordId));
  if (!found) throw new AdministrationError(`The record ${recordId} is not in quarantine.`);
  return {
    ...found,
    stateBlockNumber: found.stateBlockNumber === null ? null : String(found.stateBlockNumber),
  };
}

/** Retries a record at once; on success it leaves the quarantine. */
export async function releaseRecord(
  database: Database,
  recordId: string,
): Promise<{ recordId: string; chainId: number }> {
  return database.transaction(async (transaction) => {
    const [released] = await transaction
      .update(quarantinedRecords)
      .set({ retryAt: sql`clock_timestamp()` })
      .where(eq(quarantinedRecords.recordId, recordId))
      .returning({ recordId: quarantinedRecords.recordId, chainId: quarantinedRecords.chainId });
    if (!released) throw new AdministrationError(`The record ${recordId} is not in quarantine.`);
    await transaction.execute(sql`select pg_notify(${channels.recordAwaited}, ${String(released.chainId)})`);
    return released;
  });
}

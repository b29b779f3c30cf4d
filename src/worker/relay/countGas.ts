import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import type { Logger } from 'pino';
import { drizzleOptions } from '../../platform/database/database.ts';
import { addUsage } from '../../records/quotas/usage.ts';

/** Gas for the transaction of a principal; null for rows from before principals were stored. */
export type UsedGas = { readonly principalId: string | null; readonly gas: bigint };

/**
 * Adds gas to the principals' usage of today. In its own database transaction, because the counter of a busy
 * principal must delay no signing: if it fails, or the process ends before it, that gas is not counted.
 */
export async function countGas(
  { pool, logger }: { pool: pg.Pool; logger: Logger },
  used: readonly UsedGas[],
): Promise<void> {
  const counted = used.flatMap(({ principalId, gas }) =>
    principalId !== null && gas > 0n ? [{ principalId, gas }] : [],
  );
  if (counted.length === 0) return;
  try {
    await addUsage(drizzle(pool, drizzleOptions), counted);
  } catch (error) {
    logger.warn({ err: error, transactions: counted.length }, 'failed to store the gas use of principals');
  }
}

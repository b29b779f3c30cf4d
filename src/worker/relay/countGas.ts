import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import type { Logger } from 'pino';
import { drizzleOptions } from '../../platform/database/database.ts';
import { findGuestGas } from '../../records/quotas/guestGas.ts';
import { addRecordUsage, addUsage } from '../../records/quotas/usage.ts';

/** Gas for the transaction of a principal; null for rows from before principals were stored. */
export type UsedGas = { readonly id: string; readonly principalId: string | null; readonly gas: bigint };

type Counted = UsedGas & { readonly principalId: string };

/** What waits to be counted while a statement of the same database runs. */
const waiting = new WeakMap<pg.Pool, Counted[]>();

/**
 * Adds gas to the usage of today of principals, and of records whose guests sent the transactions, later and in its own
 * database transaction. A locked counter of a busy principal must not delay signing, nor take more than one connection. If it
 * fails, or the process ends before it, that gas is not counted.
 */
export function countGas(
  { pool, logger }: { pool: pg.Pool; logger: Logger },
  used: readonly UsedGas[],
): void {
  const counted = used.flatMap(({ id, principalId, gas }) =>
    principalId !== null && gas > 0n ? [{ id, principalId, gas }] : [],
  );
  if (counted.length === 0) return;
  const others = waiting.get(pool);
  if (others) others.push(...counted);
  else void store(counted, { pool, logger });
}

async function store(
  first: readonly Counted[],
  { pool, logger }: { pool: pg.Pool; logger: Logger },
): Promise<void> {
  const database = drizzle(pool, drizzleOptions);
  const next: Counted[] = [...first];
  waiting.set(pool, next);
  while (next.length > 0) {
    // One counter at a time: a statement that holds one and waits for another could be ended by a deadlock.
    for (const [principal, counted] of Map.groupBy(next.splice(0), ({ principalId }) => principalId)) {
      try {
        await addUsage(database, counted);
        const ofGuests = await findGuestGas(database, counted);
        for (const used of Map.groupBy(ofGuests, ({ recordId }) => recordId).values())
          await addRecordUsage(database, used);
      } catch (error) {
        const facts = { err: error, principal, transactions: counted.length };
        logger.warn(facts, 'failed to store the gas use of a principal');
      }
    }
  }
  waiting.delete(pool);
}

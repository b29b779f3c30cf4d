import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { defaultQuotas } from '../../records/quotas/quotas.ts';
import { createDailyAllowance, type DailyAllowance } from './dailyAllowance.ts';

/**
 * How many more events of rules about transitions a transaction may store, so that agreements whose inputs nobody can
 * refuse do not fill the feeds. Events count when they are released.
 */
export function createEventAllowance(transaction: Queryable): DailyAllowance {
  return createDailyAllowance(async (principalId) => {
    const { rows } = await transaction.execute<{ left: string }>(sql`
      select (coalesce((select value from service.principal_quotas
          where principal_id = ${principalId} and quota = 'eventsPerDay'), ${defaultQuotas.eventsPerDay})
        - coalesce((select events from service.usage_days
          where principal_id = ${principalId} and day = (now() at time zone 'utc')::date), 0))::text as left`);
    return Number(rows[0]?.left ?? 0);
  });
}

import type pg from 'pg';
import { defaultQuotas } from './quotas.ts';

/** Whether a principal is below its gas quota of today. True for rows from before principals were stored. */
export async function hasGasLeft(pool: pg.Pool, principalId: string | null): Promise<boolean> {
  if (principalId === null) return true;
  const { rows } = await pool.query<{ isLeft: boolean }>(
    `select coalesce((select gas from service.usage_days
         where principal_id = $1 and day = (now() at time zone 'utc')::date), 0)
       < coalesce((select value from service.principal_quotas where principal_id = $1 and quota = 'gasPerDay'), $2::bigint)
       as "isLeft"`,
    [principalId, defaultQuotas.gasPerDay],
  );
  return rows.some(({ isLeft }) => isLeft);
}

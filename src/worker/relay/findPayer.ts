import type pg from 'pg';
import { defaultQuotas } from '../../records/quotas/quotas.ts';

/**
 * The principal whose usage may count more gas of a transaction: its own one, or else another one for which it was
 * accepted too and which still waits for it. Undefined if all of them have used up their gas quotas of today. Null for
 * rows from before principals were stored.
 */
export async function findPayer(pool: pg.Pool, id: string): Promise<string | null | undefined> {
  const { rows } = await pool.query<{ payer: string | null }>(
    `select payer from (
       select principal_id as payer, 0 as place from service.transactions where id = $1
       union all
       select user_id, 1 from service.inputs
       where transaction_id = $1 and status = 'PENDING' and user_id is not null
       union all
       select principal_id, 1 from service.records
       where deploy_transaction_id = $1 and status = 'Draft' and error is null) as waiting
     where payer is null or coalesce((
         select gas from service.usage_days
         where principal_id = payer and day = (now() at time zone 'utc')::date), 0)
       < coalesce((
         select value from service.principal_quotas where principal_id = payer and quota = 'gasPerDay'), $2::bigint)
     order by place, payer limit 1`,
    [id, defaultQuotas.gasPerDay],
  );
  return rows[0]?.payer;
}

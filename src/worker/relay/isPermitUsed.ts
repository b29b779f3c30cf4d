import type pg from 'pg';
import { indexViewsSchemaName as index } from '../../platform/database/indexNames.ts';

/**
 * Whether the index shows what used up the nonce of a row's permit. Then the projector settles the row: with
 * that block, or, if the row was stored after the fold, with its next scan of open rows. Without an index
 * nothing counts as used up.
 */
export async function isPermitUsed(pool: pg.Pool, id: string): Promise<boolean> {
  const { rows } = await pool.query<{ is_there: boolean }>(
    `select to_regclass('${index}.inputs') is not null and to_regclass('${index}.agreements') is not null as is_there`,
  );
  if (!rows[0]?.is_there) return false;
  const { rowCount } = await pool.query(
    `select 1 from service.transactions tx where tx.id = $1 and (
       exists (
         select 1 from ${index}.inputs effect
         where tx.kind = 'input' and effect.chain_id = tx.chain_id and effect.agreement = lower(tx.contract)
           and effect.permit_signer = lower(tx.signer) and effect.permit_nonce = tx.permit_nonce)
       or exists (
         select 1 from ${index}.agreements effect
         where tx.kind = 'deploy' and effect.chain_id = tx.chain_id and effect.factory = lower(tx.contract)
           and effect.permit_signer = lower(tx.signer) and effect.permit_nonce = tx.permit_nonce))`,
    [id],
  );
  return rowCount !== 0;
}

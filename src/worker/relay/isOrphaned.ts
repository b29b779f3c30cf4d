import type pg from 'pg';

/**
 * Whether the nonce before an input's is lost: its permit failed, and nobody has sent another one for it. A permit that
 * is accepted while the one before it fails is not among the successors that fail with it.
 */
export async function isOrphaned(pool: pg.Pool, id: string): Promise<boolean> {
  const of = (row: string) => `${row}.chain_id = tx.chain_id and lower(${row}.contract) = lower(tx.contract)
    and lower(${row}.signer) = lower(tx.signer) and ${row}.permit_nonce = tx.permit_nonce - 1`;
  const { rowCount } = await pool.query(
    `select 1 from service.transactions tx
     where tx.id = $1 and tx.kind = 'input' and tx.state = 'accepted'
       and exists (select 1 from service.transactions lost where ${of('lost')} and lost.state = 'failed')
       and not exists (select 1 from service.transactions held where ${of('held')} and held.state <> 'failed')`,
    [id],
  );
  return rowCount !== 0;
}

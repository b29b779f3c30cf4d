import type pg from 'pg';
import { failUnsent } from './endRow.ts';

/**
 * SQL: whether the nonce before an accepted input's is lost: its permit failed, and nobody has sent another one for it. A
 * permit that is accepted while the one before it fails is not among the successors that fail with it.
 */
function isOrphan(row: string): string {
  const of = (
    other: string,
  ) => `${other}.chain_id = ${row}.chain_id and lower(${other}.contract) = lower(${row}.contract)
    and lower(${other}.signer) = lower(${row}.signer) and ${other}.permit_nonce = ${row}.permit_nonce - 1`;
  return `${row}.kind = 'input' and ${row}.state = 'accepted'
    and exists (select 1 from service.transactions lost where ${of('lost')} and lost.state = 'failed')
    and not exists (select 1 from service.transactions held where ${of('held')} and held.state <> 'failed')`;
}

export async function isOrphaned(pool: pg.Pool, id: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select 1 from service.transactions tx where tx.id = $1 and ${isOrphan('tx')}`,
    [id],
  );
  return rowCount !== 0;
}

/** Fails an input, unless the nonce before its own has been sent again; see `failUnsent`. */
export function failOrphan(
  pool: pg.Pool,
  end: { chainId: number; id: string; blockNumber: bigint },
): Promise<boolean> {
  const message = 'The permit of this signer that comes before it failed.';
  const failure = { reason: 'predecessor_failed', message };
  return failUnsent(pool, { ...end, failure, condition: isOrphan('tx') });
}

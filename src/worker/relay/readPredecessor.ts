import type pg from 'pg';
import { isBefore, relatedTo } from './rowOrder.ts';

/**
 * Whether an earlier related row may still take effect: undefined for no, `passed` if one is about to be
 * decided because the chain has passed it in the same wallet, otherwise `open`.
 */
export async function findPredecessor(pool: pg.Pool, id: string): Promise<'open' | 'passed' | undefined> {
  const { rows } = await pool.query<{ is_passed: boolean | null }>(
    `select bool_or(earlier.wallet = tx.wallet and earlier.wallet_nonce < tx.wallet_nonce) as is_passed
     from service.transactions tx cross join lateral ${relatedTo('tx')} as earlier
     where tx.id = $1 and earlier.state <> 'mined' and ${isBefore('earlier', 'tx')}
     having count(*) > 0`,
    [id],
  );
  const [found] = rows;
  if (!found) return undefined;
  return found.is_passed ? 'passed' : 'open';
}

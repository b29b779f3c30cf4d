import type pg from 'pg';
import { isBefore, relatedTo } from './rowOrder.ts';

/**
 * Whether an earlier related row may still take effect: undefined for no, `passed` if one is about to be
 * decided because the chain has passed it in the same wallet, otherwise `open`.
 */
export async function findPredecessor(pool: pg.Pool, id: string): Promise<'open' | 'passed' | undefined> {
  const { rows } = await pool.query<{ is_passed: boolean | null }>(
    `select bool_or(earlier.wallet = it.wallet and earlier.wallet_nonce < it.wallet_nonce) as is_passed
     from service.transactions it cross join lateral ${relatedTo('it')} as earlier
     where it.id = $1 and earlier.state <> 'mined' and ${isBefore('earlier', 'it')}
     having count(*) > 0`,
    [id],
  );
  const [found] = rows;
  if (!found) return undefined;
  return found.is_passed ? 'passed' : 'open';
}

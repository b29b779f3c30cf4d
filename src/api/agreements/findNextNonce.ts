import type { Address } from 'viem';
import type { Database } from '../../platform/database/database.ts';
import type { RowAs } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { transactions } from '../../platform/database/tables/transactions.ts';
import { findFreeNonce } from '../admission/findFreeNonce.ts';
import { hasLapsed } from './lapsedPermit.ts';

/** The most waiting permits of one signer for one contract. */
export const mostInRow = 256;

type NonceRow = RowAs<typeof transactions, { nonce: 'permit_nonce' }>;

const statement = `
  select held.permit_nonce as nonce from service.transactions held
  where held.chain_id = $1 and lower(held.contract) = lower($2) and lower(held.signer) = lower($3)
    and held.permit_nonce >= $4::numeric and held.state <> 'failed' and not ${hasLapsed('held.')}
  order by held.permit_nonce limit ${mostInRow}`;

/**
 * A signer's first free nonce in a contract, after the consecutive nonces that open permits hold from `mined`
 * on. A permit signed for it comes after them. An unsent permit whose deadline has passed holds none: it will fail, and so
 * will those after it.
 */
export async function findNextNonce(
  database: Database,
  permit: { chainId: number; contract: Address; signer: Address; mined: bigint },
): Promise<bigint> {
  const { chainId, contract, signer, mined } = permit;
  const held = await runPrepared<NonceRow>(database.$client, statement, [
    chainId,
    contract,
    signer,
    String(mined),
  ]);
  const nonces = held.map(({ nonce }) => ({ nonce: BigInt(nonce) }));
  return held.length < mostInRow ? findFreeNonce(nonces, mined) : mined;
}

import type { Address } from 'viem';
import type { Database } from '../../platform/database/database.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';

/** The most permits of one signer for one contract that wait for each other here. */
export const mostInRow = 256;

const statement = `
  select permit_nonce as nonce from service.transactions
  where chain_id = $1 and lower(contract) = lower($2) and lower(signer) = lower($3) and permit_nonce >= $4::numeric
    and state <> 'failed'
  order by permit_nonce limit ${mostInRow}`;

/**
 * The first nonce of a signer in a contract that is free, those counted that permits hold here one after the other from `mined` on: what
 * a permit has to be signed for to come after them.
 */
export async function findNextNonce(
  database: Database,
  permit: { chainId: number; contract: Address; signer: Address; mined: bigint },
): Promise<bigint> {
  const { chainId, contract, signer, mined } = permit;
  const held = await runPrepared<{ nonce: string }>(database.$client, statement, [
    chainId,
    contract,
    signer,
    String(mined),
  ]);
  let next = mined;
  for (const { nonce } of held) if (BigInt(nonce) === next) next++;
  return held.length < mostInRow ? next : mined;
}

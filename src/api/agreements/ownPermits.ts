import type { Address, Hex } from 'viem';
import type { Database } from '../../platform/database/database.ts';
import type { RowAs } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { transactions } from '../../platform/database/tables/transactions.ts';
import { mostInRow } from './findNextNonce.ts';
import { hasLapsed } from './lapsedPermit.ts';

export type OwnPermit = {
  readonly nonce: bigint;
  readonly digest: Hex;
  /** It is unsent and its deadline has passed: it will fail, and so will those after it. */
  readonly isExpired: boolean;
};

type PermitRow = RowAs<typeof transactions, { nonce: 'permit_nonce'; digest: 'permit_digest' }> & {
  is_expired: boolean;
};

const statement = `
  select sent.permit_nonce::text as nonce, sent.permit_digest as digest,
    ${hasLapsed('sent.')} as is_expired
  from service.transactions sent
  where sent.chain_id = $1 and lower(sent.contract) = lower($2) and lower(sent.signer) = lower($3)
    and sent.permit_nonce >= $4::numeric and sent.state <> 'failed'
    and (sent.principal_id = $5 or exists (
      select 1 from service.inputs shared where shared.transaction_id = sent.id and shared.user_id = $5 and shared.status <> 'FAILED' offset 0)
    or exists (
      select 1 from service.records deployed
      where deployed.deploy_transaction_id = sent.id and deployed.principal_id = $5 and deployed.error is null offset 0))
  order by sent.permit_nonce limit ${mostInRow}`;

/**
 * The principal's own open permits of a signer, from the mined nonce on. A request for typed data does not
 * prove that the signer is behind it, so other principals' open permits must not be revealed: not even one that has
 * failed for this principal, and that another one has sent again.
 */
export async function listOwnPermits(
  database: Database,
  permit: {
    readonly principalId: string;
    readonly chainId: number;
    readonly contract: Address;
    readonly signer: Address;
    readonly minedNonce: bigint;
  },
): Promise<OwnPermit[]> {
  const { principalId, chainId, contract, signer, minedNonce } = permit;
  const values = [chainId, contract, signer, String(minedNonce), principalId];
  const rows = await runPrepared<PermitRow>(database.$client, statement, values);
  return rows.map(({ nonce, digest, is_expired: isExpired }) => ({
    nonce: BigInt(nonce),
    digest,
    isExpired,
  }));
}

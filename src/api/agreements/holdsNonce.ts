import { and, eq, ne, type SQL, sql } from 'drizzle-orm';
import type { Address } from 'viem';
import { transactions } from '../../platform/database/tables/transactions.ts';

/**
 * The condition for the one transaction that holds a signer's nonce in a contract: under way or mined, so not
 * failed.
 */
export function holdsNonce(permit: {
  readonly chainId: number;
  readonly contract: Address;
  readonly signer: Address;
  readonly nonce: bigint;
}): SQL | undefined {
  const { chainId, contract, signer, nonce } = permit;
  // In the form of the index: lower-case addresses.
  return and(
    eq(transactions.chainId, chainId),
    eq(sql`lower(${transactions.contract})`, contract.toLowerCase()),
    eq(sql`lower(${transactions.signer})`, signer.toLowerCase()),
    eq(transactions.permitNonce, nonce),
    ne(transactions.state, 'failed'),
  );
}

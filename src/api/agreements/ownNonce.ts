import { and, eq, exists, or } from 'drizzle-orm';
import type { Address, TypedDataDefinition } from 'viem';
import type { Database } from '../../platform/database/database.ts';
import { inputs } from '../../platform/database/tables/inputs.ts';
import { records } from '../../platform/database/tables/records.ts';
import { transactions } from '../../platform/database/tables/transactions.ts';
import { hashPermit } from '../../protocol/hashPermit.ts';
import { holdsNonce } from './holdsNonce.ts';

/**
 * Whether another permit of the principal holds the nonce. A request for typed data does not prove that the
 * signer is behind it. So only the principal's own permits are checked; other principals' open permits must
 * not be revealed.
 */
export async function isOwnNonceHeld(
  database: Database,
  permit: {
    readonly principalId: string;
    readonly chainId: number;
    readonly contract: Address;
    readonly signer: Address;
    readonly nonce: bigint;
    readonly typedData: TypedDataDefinition;
  },
): Promise<boolean> {
  const { principalId, typedData } = permit;
  const ofRecord = and(
    eq(records.deployTransactionId, transactions.id),
    eq(records.principalId, principalId),
  );
  const ofInput = and(eq(inputs.transactionId, transactions.id), eq(inputs.userId, principalId));
  const [open] = await database
    .select({ digest: transactions.permitDigest })
    .from(transactions)
    .where(
      and(
        holdsNonce(permit),
        or(
          exists(database.select({ id: records.id }).from(records).where(ofRecord)),
          exists(database.select({ id: inputs.id }).from(inputs).where(ofInput)),
        ),
      ),
    );
  return open !== undefined && open.digest !== hashPermit(typedData);
}

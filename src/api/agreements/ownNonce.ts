import { and, eq, exists, or } from 'drizzle-orm';
import { type Address, hashTypedData, type TypedDataDefinition } from 'viem';
import type { Database } from '../../platform/database/database.ts';
import { inputs } from '../../platform/database/tables/inputs.ts';
import { records } from '../../platform/database/tables/records.ts';
import { transactions } from '../../platform/database/tables/transactions.ts';
import { holdsNonce } from './holdsNonce.ts';

/**
 * Whether another permit of the principal holds the nonce. Whoever asks for typed data has not shown that the signer is behind it.
 * So only permits that the same principal has sent are looked at: what others have on its way is none of its business.
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
  return open !== undefined && open.digest !== hashTypedData(typedData);
}

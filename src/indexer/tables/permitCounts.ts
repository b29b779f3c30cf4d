import type { Context } from 'ponder:registry';
import schema from 'ponder:schema';
import type { Address } from 'viem';

export type Signer = { contract: Address; signer: Address };

/** The nonce of the signer's next permit at an engine. */
export async function nextInputNonce(context: Context, { contract, signer }: Signer): Promise<bigint> {
  const counted = await context.db.find(schema.permitCount, { chainId: context.chain.id, contract, signer });
  return counted?.count ?? 0n;
}

/**
 * Counts one more permit of the signer at a factory or an engine and returns its nonce: nonces are used in
 * order. `firstNonce` is called only for the first permit of this signer that the index sees there.
 */
export async function consumePermit(
  context: Context,
  permit: Signer & { firstNonce(): Promise<bigint> | bigint },
): Promise<bigint> {
  const key = { chainId: context.chain.id, contract: permit.contract, signer: permit.signer };
  const counted = await context.db.find(schema.permitCount, key);
  const nonce = counted?.count ?? (await permit.firstNonce());
  const count = nonce + 1n;
  await context.db
    .insert(schema.permitCount)
    .values({ ...key, count })
    .onConflictDoUpdate({ count });
  return nonce;
}

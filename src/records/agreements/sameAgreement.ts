import type { Hex } from 'viem';

/**
 * What identifies the creation of an agreement on a chain: its transaction, and if it is known, the content that its
 * permit's signer signed under a nonce, which another transaction may carry after a reorganisation. The document's hash
 * says nothing of values and parties, and an address can hold another agreement after a reorganisation.
 */
export type Creation = {
  readonly transactionHash: Hex;
  /** Null without a permit, and if its content cannot be read. */
  readonly permitCreation: string | null;
};

type Permitted = {
  readonly factory: string;
  readonly permitSigner: string | null;
  readonly permitNonce: bigint | null;
  readonly contentHash: string | null;
};

export function permitCreationOf({
  factory,
  permitSigner,
  permitNonce,
  contentHash,
}: Permitted): string | null {
  if (permitSigner === null || permitNonce === null || contentHash === null) return null;
  return `${factory} ${permitSigner} ${permitNonce} ${contentHash}`;
}

/** The same as SQL. `shown` is an alias of the index's agreements. */
export function permitCreationSql(shown: string): string {
  return `(${shown}.factory || ' ' || ${shown}.permit_signer || ' ' || ${shown}.permit_nonce::text || ' ' || ${shown}.content_hash)`;
}

/** The identity that a record keeps of the agreement that it adopts. */
export function adoptedCreationOf({ permitCreation, transactionHash }: Creation): string {
  return permitCreation ?? transactionHash;
}

/**
 * SQL: whether a record that waits at an address waits for this agreement. Records of earlier versions know the document
 * alone. Never null.
 *
 * @param record an alias of `service.records`.
 * @param found an alias with `doc_hash` and `transaction_hash`.
 * @param permitCreation SQL of its permit's creation.
 */
export function isSameAgreement(
  record: string,
  found: string,
  permitCreation = permitCreationSql(found),
): string {
  return `(${record}.doc_hash = ${found}.doc_hash and (${record}.adopted_creation is null
    or ${record}.adopted_creation in (${found}.transaction_hash, coalesce(${permitCreation}, ''))))`;
}

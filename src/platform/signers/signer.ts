import type { Address, Hash, Hex } from 'viem';

/** A signature in the form for transactions; `s` is in the lower half, as chains require. */
export type TransactionSignature = { readonly r: Hex; readonly s: Hex; readonly yParity: 0 | 1 };

/** The signer of one relayer wallet. The key itself is nowhere else in the process. */
export type Signer = {
  readonly address: Address;
  /** Whether it signs in this process, in less than a millisecond. External signers may take long or fail. */
  readonly isLocal: boolean;
  /**
   * Signs a hash of 32 bytes; the signature recovers to `address`. Two signatures of one hash may differ.
   *
   * @throws SigningError if there is no signature within the signer's time.
   */
  sign(hash: Hash): Promise<TransactionSignature>;
};

/** The signer gave no signature. Another attempt may succeed. */
export class SigningError extends Error {
  override readonly name = 'SigningError';
}

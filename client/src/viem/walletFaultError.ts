/**
 * What the wallet did: it stayed on another chain, signed other data or with another account, or returned
 * something that is not a signature.
 */
export type WalletFault = 'other_chain' | 'other_signer' | 'no_signature';

/** The wallet did something other than it was asked for. Nothing was sent. */
export class WalletFaultError extends Error {
  override readonly name = 'WalletFaultError';
  readonly fault: WalletFault;

  constructor(fault: WalletFault, options?: ErrorOptions) {
    super(`The wallet did otherwise: ${fault}`, options);
    this.fault = fault;
  }
}

const messages = {
  other_chain: 'The wallet is on another chain, and has not switched.',
  other_signer: 'The wallet has signed something else, or with another account.',
  no_signature: 'The wallet has answered with something that is no signature.',
} as const;

/** The wallet did something other than it was asked for. Nothing was sent. */
export class WalletFaultError extends Error {
  override readonly name = 'WalletFaultError';
  readonly fault: keyof typeof messages;

  constructor(fault: keyof typeof messages, options?: ErrorOptions) {
    super(messages[fault], options);
    this.fault = fault;
  }
}

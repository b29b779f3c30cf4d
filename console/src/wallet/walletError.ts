import { toPlainText } from './plainText.ts';

export type WalletErrorKind = 'declined' | 'given_up' | 'unknown_chain' | 'failed';

/** A wallet has not given what it was asked for, or its owner has not waited for it. */
export class WalletError extends Error {
  override readonly name = 'WalletError';
  readonly kind: WalletErrorKind;
  /** What the wallet says itself, made fit to be shown; may be empty. */
  readonly said: string;

  constructor(kind: WalletErrorKind, said = '') {
    super(said === '' ? 'The wallet has not answered.' : said);
    this.kind = kind;
    this.said = said;
  }
}

const longestSaid = 200;
/** Of EIP-1193 and EIP-3085. */
const kinds = new Map<unknown, WalletErrorKind>([
  [4001, 'declined'],
  [4902, 'unknown_chain'],
]);

/** Reads what a wallet has rejected with, which may be anything. */
export function readWalletError(rejection: unknown): WalletError {
  try {
    const facts = Object(rejection);
    return new WalletError(kinds.get(facts.code) ?? 'failed', toPlainText(facts.message, longestSaid));
  } catch {
    return new WalletError('failed');
  }
}

/** The error of a wallet among those that were made of it on the way. */
export function findWalletError(error: unknown): WalletError | undefined {
  let at = error;
  while (at instanceof Error) {
    if (at instanceof WalletError) return at;
    at = at.cause;
  }
  return undefined;
}

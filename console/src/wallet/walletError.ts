import { toPlainText } from './plainText.ts';

export type WalletErrorKind = 'declined' | 'given_up' | 'unknown_chain' | 'failed';

/** A wallet did not do what it was asked for, or its owner stopped waiting. */
export class WalletError extends Error {
  override readonly name = 'WalletError';
  readonly kind: WalletErrorKind;
  /** The wallet's own message as plain text; may be empty. */
  readonly said: string;

  constructor(kind: WalletErrorKind, said = '') {
    super(said === '' ? 'The wallet has not answered.' : said);
    this.kind = kind;
    this.said = said;
  }
}

const longestSaid = 200;
/** The codes of EIP-1193 and EIP-3085. */
const kinds = new Map<unknown, WalletErrorKind>([
  [4001, 'declined'],
  [4902, 'unknown_chain'],
]);

/** Reads a wallet's rejection, which may be any value. */
export function readWalletError(rejection: unknown): WalletError {
  try {
    const facts = Object(rejection);
    return new WalletError(kinds.get(facts.code) ?? 'failed', toPlainText(facts.message, longestSaid));
  } catch {
    return new WalletError('failed');
  }
}

export function findWalletError(error: unknown): WalletError | undefined {
  let at = error;
  while (at instanceof Error) {
    if (at instanceof WalletError) return at;
    at = at.cause;
  }
  return undefined;
}

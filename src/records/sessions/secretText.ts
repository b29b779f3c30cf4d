import { hash, randomBytes } from 'node:crypto';
import type { Hex } from 'viem';

/** The kinds of secrets, by their prefix. */
const prefixes = { session: 'ags_', portal: 'agp_', signing: 'agl_', wallet: 'agw_' } as const;
export type SecretKind = keyof typeof prefixes;

const secretBytes = 32;

/**
 * A new secret of a kind: 256 random bits, handed out once and never stored.
 *
 * @param bytes 32 secret bytes instead of random ones.
 */
export function createSecret(kind: SecretKind, bytes: Buffer = randomBytes(secretBytes)): string {
  return `${prefixes[kind]}${bytes.toString('hex')}`;
}

/** The stored hash of a secret, which is as random as the hash is long. */
export function hashSecret(secret: string): Hex {
  return `0x${hash('sha256', secret)}`;
}

/** Whether a text has the form of a secret of this kind; others need no look-up. */
export function isSecret(kind: SecretKind, text: string): boolean {
  return text.startsWith(prefixes[kind]) && /^[0-9a-f]{64}$/.test(text.slice(prefixes[kind].length));
}

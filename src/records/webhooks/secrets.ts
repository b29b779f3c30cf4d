import { randomBytes } from 'node:crypto';
import type { Cipher } from '../../platform/encryption/cipher.ts';

const prefix = 'whsec_';
const secretBytes = 32;

/**
 * A new signing secret: `whsec_` and 64 hex digits.
 *
 * @param bytes 32 secret bytes instead of random ones.
 */
export function createSigningSecret(bytes: Buffer = randomBytes(secretBytes)): string {
  return `${prefix}${bytes.toString('hex')}`;
}

/** The stored form of a secret; it can be decrypted only for the same subscription. */
export function encryptSecret(
  cipher: Cipher,
  { subscriptionId, secret }: { subscriptionId: string; secret: string },
): Buffer {
  return cipher.encrypt(secret, contextOf(subscriptionId));
}

/** @throws Error if it was encrypted with a key that is no longer known. */
export function decryptSecret(
  cipher: Cipher,
  { subscriptionId, encrypted }: { subscriptionId: string; encrypted: Uint8Array },
): string {
  return cipher.decrypt(encrypted, contextOf(subscriptionId));
}

export type SigningSecrets = {
  /** Signs the service's own header: the previous secret during the grace period of a rotation. */
  readonly own: string;
  /** The secrets for the signatures in `webhook-signature`, the current one first. */
  readonly all: readonly [string, ...string[]];
};

/**
 * A subscription's valid secrets at a point in time.
 *
 * @throws Error if they were encrypted with a key that is no longer known.
 */
export function readSigningSecrets(
  row: {
    readonly id: string;
    readonly secret: Uint8Array;
    readonly previousSecret: Uint8Array | null;
    readonly previousSecretUntil: Date | null;
  },
  cipher: Cipher,
  now: Date,
): SigningSecrets {
  const context = contextOf(row.id);
  const current = cipher.decrypt(row.secret, context);
  const { previousSecret, previousSecretUntil } = row;
  if (!previousSecret || !previousSecretUntil || previousSecretUntil <= now)
    return { own: current, all: [current] };
  const previous = cipher.decrypt(previousSecret, context);
  return { own: previous, all: [current, previous] };
}

function contextOf(subscriptionId: string): string {
  return `webhook_subscription:${subscriptionId}`;
}

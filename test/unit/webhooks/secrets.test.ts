import { describe, expect, test } from 'vitest';
import { createCipher } from '../../../src/platform/encryption/cipher.ts';
import {
  createSigningSecret,
  encryptSecret,
  readSigningSecrets,
} from '../../../src/records/webhooks/secrets.ts';

const cipher = createCipher([Buffer.alloc(32, 7)]);
const id = 'wh_1';
const [first, second] = [createSigningSecret(), createSigningSecret()];
const encrypt = (secret: string, subscriptionId = id) => encryptSecret(cipher, { subscriptionId, secret });
const until = new Date('2026-06-01T12:00:00Z');

test('a secret is whsec_ and 64 hex digits, and never the same', () => {
  expect(first).toMatch(/^whsec_[0-9a-f]{64}$/);
  expect(second).not.toBe(first);
});

test('a stored secret reveals nothing, and is valid only for its own subscription', () => {
  const stored = encrypt(first);
  expect(stored.toString('latin1')).not.toContain(first.slice(6));
  const row = { id: 'wh_2', secret: stored, previousSecret: null, previousSecretUntil: null };
  expect(() => readSigningSecrets(row, cipher, until)).toThrow();
});

describe('what signs', () => {
  test('is the one secret of a subscription that was never rotated', () => {
    const row = { id, secret: encrypt(first), previousSecret: null, previousSecretUntil: null };
    expect(readSigningSecrets(row, cipher, until)).toEqual({ own: first, all: [first] });
  });

  test('is the old secret in the own header and both elsewhere, until the grace ends', () => {
    const row = {
      id,
      secret: encrypt(second),
      previousSecret: encrypt(first),
      previousSecretUntil: until,
    };
    const before = new Date(until.getTime() - 1);
    expect(readSigningSecrets(row, cipher, before)).toEqual({ own: first, all: [second, first] });
    expect(readSigningSecrets(row, cipher, until)).toEqual({ own: second, all: [second] });
  });
});

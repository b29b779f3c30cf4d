import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  randomBytes,
} from 'node:crypto';
import type { EncryptionKeys } from '../config/encryptionKeys.ts';

/** Encrypts secrets that readers of the database must not see. */
export type Cipher = {
  /** The text as bytes that only the same key and context can decrypt. */
  encrypt(text: string, context: string): Buffer;
  /** @throws Error for bytes that were encrypted with another key or in another context, or that were changed. */
  decrypt(bytes: Uint8Array, context: string): string;
  /** 32 bytes that only the same key and name give, and from which neither can be found. */
  derive(name: string): Buffer;
};

const algorithm = 'aes-256-gcm';
const keyIdBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM with a random nonce for each text: key id (the beginning of the key's SHA-256), nonce, tag,
 * ciphertext. The context, for example the row of the bytes, is authenticated: bytes copied elsewhere do not
 * decrypt.
 */
export function createCipher(keys: EncryptionKeys): Cipher {
  const [first] = keys;
  // A key as bytes is made into such an object for each text.
  const current = createSecretKey(first);
  const keysById = new Map(keys.map((key) => [identify(key).toString('hex'), createSecretKey(key)]));
  const currentId = identify(first);
  // No key serves two purposes.
  const derivationKey = createHmac('sha256', first).update('derivation').digest();
  return {
    encrypt(text, context) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, current, nonce).setAAD(Buffer.from(context));
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([currentId, nonce, cipher.getAuthTag(), ciphertext]);
    },
    derive: (name) => createHmac('sha256', derivationKey).update(name).digest(),
    decrypt(bytes, context) {
      const parts = Buffer.from(bytes);
      const nonceAt = keyIdBytes;
      const tagAt = nonceAt + nonceBytes;
      const ciphertextAt = tagAt + tagBytes;
      const key = keysById.get(parts.toString('hex', 0, keyIdBytes));
      if (!key) throw new Error('The value was encrypted with a key that is not in ENCRYPTION_KEY.');
      const decipher = createDecipheriv(algorithm, key, parts.subarray(nonceAt, tagAt), {
        authTagLength: tagBytes,
      });
      decipher.setAAD(Buffer.from(context)).setAuthTag(parts.subarray(tagAt, ciphertextAt));
      return Buffer.concat([decipher.update(parts.subarray(ciphertextAt)), decipher.final()]).toString(
        'utf8',
      );
    },
  };
}

function identify(key: Buffer): Buffer {
  return createHash('sha256').update(key).digest().subarray(0, keyIdBytes);
}

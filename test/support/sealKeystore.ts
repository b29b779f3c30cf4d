import { createCipheriv, pbkdf2Sync, randomBytes } from 'node:crypto';
import { concat, type Hex, hexToBytes, keccak256 } from 'viem';

/** A version 3 keystore for a key, with few rounds so that tests are fast. */
export function sealKeystore(key: Hex, password: string): string {
  const [salt, iv] = [randomBytes(32), randomBytes(16)];
  const derived = pbkdf2Sync(password, salt, 8, 32, 'sha256');
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv);
  const ciphertext = Buffer.concat([cipher.update(hexToBytes(key)), cipher.final()]);
  return JSON.stringify({
    version: 3,
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: iv.toString('hex') },
      ciphertext: ciphertext.toString('hex'),
      kdf: 'pbkdf2',
      kdfparams: { c: 8, dklen: 32, prf: 'hmac-sha256', salt: salt.toString('hex') },
      mac: keccak256(concat([derived.subarray(16, 32), ciphertext])).slice(2),
    },
  });
}

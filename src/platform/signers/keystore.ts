import { createDecipheriv, pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto';
import { concat, type Hex, keccak256, pad, toHex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';

const bytes = z
  .string()
  .regex(/^(0x)?([0-9a-f]{2})+$/i, 'expected hex digits')
  .transform((text) => Buffer.from(text.replace(/^0x/, ''), 'hex'));

const derivedLength = z.int().min(32).max(64);

const derivation = z.discriminatedUnion('kdf', [
  z.object({
    kdf: z.literal('scrypt'),
    kdfparams: z.object({
      dklen: derivedLength,
      salt: bytes,
      n: z
        .int()
        .min(2)
        .max(2 ** 20),
      r: z.int().min(1).max(64),
      p: z.int().min(1).max(64),
    }),
  }),
  z.object({
    kdf: z.literal('pbkdf2'),
    kdfparams: z.object({
      dklen: derivedLength,
      salt: bytes,
      c: z.int().min(1).max(10_000_000),
      prf: z.literal('hmac-sha256'),
    }),
  }),
]);

const crypto = z.intersection(
  z.object({
    cipher: z.literal('aes-128-ctr'),
    cipherparams: z.object({ iv: bytes.refine(({ length }) => length === 16, 'expected 16 bytes') }),
    ciphertext: bytes.refine(({ length }) => length <= 32, 'expected 32 bytes at most'),
    mac: bytes.refine(({ length }) => length === 32, 'expected 32 bytes'),
  }),
  derivation,
);

const keystore = z.object({
  version: z.literal(3),
  address: z.string().optional(),
  crypto,
});

/** scrypt's memory is 128 × n × r bytes, 256 MB with geth's parameters; freed right after. */
const mostMemory = 1_200 * 1024 * 1024;

/**
 * Decrypts the private key of a Web3 Secret Storage file, version 3, as written by geth, foundry and most
 * wallets, with scrypt or pbkdf2. Takes about a second by design of the format.
 *
 * @throws RangeError saying whether the file or the password is wrong. The message contains no secret.
 */
export function decryptKeystore(text: string, password: string): Hex {
  const { crypto: sealed, address } = parseKeystore(text);
  const derived = deriveKey(sealed, password);
  // Not SHA-3: the format is older. The checksum covers the second half of the derived key and the
  // ciphertext.
  const mac = keccak256(concat([derived.subarray(16, 32), sealed.ciphertext]), 'bytes');
  if (!timingSafeEqual(mac, sealed.mac)) throw new RangeError('the password of the keystore is wrong');
  const decipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), sealed.cipherparams.iv);
  const plain = Buffer.concat([decipher.update(sealed.ciphertext), decipher.final()]);
  // Old programs omitted leading zeros.
  const key = pad(toHex(plain), { size: 32 });
  if (address !== undefined && !isAddressOf(key, address))
    throw new RangeError('the key does not match the address in the keystore');
  return key;
}

function parseKeystore(text: string): z.output<typeof keystore> {
  const result = keystore.safeParse(parseJson(text));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join('.') ?? '';
  throw new RangeError(`not a version 3 keystore: ${path === '' ? '' : `${path}: `}${issue?.message}`);
}

/** Some programs capitalise the keys of the outer object. */
function parseJson(text: string): unknown {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new RangeError('not a keystore: the file is not JSON');
  }
  if (typeof parsed !== 'object' || parsed === null) return parsed;
  return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name.toLowerCase(), value]));
}

function deriveKey(sealed: z.output<typeof derivation>, password: string): Buffer {
  if (sealed.kdf === 'pbkdf2') {
    const { salt, c, dklen } = sealed.kdfparams;
    return pbkdf2Sync(password, salt, c, dklen, 'sha256');
  }
  const { salt, n, r, p, dklen } = sealed.kdfparams;
  // From RFC 7914; some of the oldest files do not follow it.
  if (Math.log2(n) >= 16 * r || !Number.isInteger(Math.log2(n)))
    throw new RangeError('the keystore has invalid scrypt parameters');
  try {
    return scryptSync(password, salt, dklen, { N: n, r, p, maxmem: mostMemory });
  } catch {
    throw new RangeError('the scrypt parameters of the keystore need too much memory');
  }
}

function isAddressOf(key: Hex, address: string): boolean {
  const written = address.toLowerCase().replace(/^0x/, '');
  try {
    return written === '' || privateKeyToAddress(key).toLowerCase() === `0x${written}`;
  } catch {
    throw new RangeError('the keystore does not hold a valid secp256k1 key');
  }
}

import fc from 'fast-check';
import { type Hex, numberToHex, recoverAddress as recoverWithViem } from 'viem';
import { sign as signWithViem } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { createKeySigner } from '../../../src/platform/signers/keySigner.ts';
import { recoverAddress } from '../../../src/platform/signers/recoverAddress.ts';

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const field = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn;

const word = (number: bigint) => numberToHex(number, { size: 32 });
const anyNumber = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const border = fc.constantFrom(
  0n,
  1n,
  order / 2n,
  order - 1n,
  order,
  order + 1n,
  field - 1n,
  field,
  field + 1n,
);
const part = fc.oneof(anyNumber, border).map(word);
const hash = fc.oneof(anyNumber, border).map(word);
const privateKey = fc
  .oneof(fc.bigInt({ min: 1n, max: order - 1n }), fc.constantFrom(1n, order - 1n))
  .map(word);
const yParity = fc.constantFrom(0 as const, 1 as const);

function recoverElsewhere(digest: Hex, signature: { r: Hex; s: Hex; yParity: 0 | 1 }) {
  return recoverWithViem({ hash: digest, signature }).catch(() => undefined);
}

describe('recoverAddress', () => {
  test('gives what viem gives, for sound and for impossible signatures', async () => {
    await fc.assert(
      fc.asyncProperty(hash, part, part, yParity, async (digest, r, s, parity) => {
        const signature = { r, s, yParity: parity };
        expect(recoverAddress(digest, signature)).toBe(await recoverElsewhere(digest, signature));
      }),
    );
  });

  test('returns the signer, and another address for another hash or parity', async () => {
    await fc.assert(
      fc.asyncProperty(hash, hash, privateKey, async (digest, other, key) => {
        const signer = createKeySigner(key);
        const signature = await signer.sign(digest);
        expect(recoverAddress(digest, signature)).toBe(signer.address);
        const turned = { ...signature, yParity: signature.yParity === 1 ? (0 as const) : (1 as const) };
        expect(recoverAddress(digest, turned)).not.toBe(signer.address);
        if (BigInt(other) % order !== BigInt(digest) % order)
          expect(recoverAddress(other, signature)).not.toBe(signer.address);
      }),
    );
  });
});

describe('a key signer', () => {
  test('signs as viem does, with s in the lower half', async () => {
    await fc.assert(
      fc.asyncProperty(hash, privateKey, async (digest, key) => {
        const { r, s, yParity: parity } = await signWithViem({ hash: digest, privateKey: key });
        expect(await createKeySigner(key).sign(digest)).toEqual({ r, s, yParity: parity });
      }),
    );
  });
});

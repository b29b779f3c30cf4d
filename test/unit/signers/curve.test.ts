import fc from 'fast-check';
import { hexToBytes, numberToHex } from 'viem';
import { expect, test } from 'vitest';
import { curve, loadNativeCurve, portableCurve } from '../../../src/platform/signers/curve.ts';

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const field = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn;

const bytes = (number: bigint) => hexToBytes(numberToHex(number, { size: 32 }));
const border = [0n, 1n, order / 2n, order / 2n + 1n, order - 1n, order, order + 1n, field - 1n, field];
const word = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.constantFrom(...border)).map(bytes);
const privateKey = fc
  .oneof(fc.bigInt({ min: 1n, max: order - 1n }), fc.constantFrom(1n, order - 1n))
  .map(bytes);
const recoveryId = fc.constantFrom(0, 1);

const native = loadNativeCurve();
/** The platforms for which the package has binaries. */
const hasBinary = process.arch === 'x64' && (process.platform === 'linux' || process.platform === 'win32');

test('the native library is used where it can be loaded', () => {
  if (hasBinary) expect(native).toBeDefined();
  expect(curve === portableCurve).toBe(native === undefined);
});

test.skipIf(!native)('both libraries sign alike', () => {
  fc.assert(
    fc.property(word, privateKey, (hash, key) => {
      const { signature, recoveryId: id } = portableCurve.sign(hash, key);
      const other = native?.sign(hash, key);
      expect(other?.recoveryId).toBe(id);
      expect(Buffer.from(other?.signature ?? [])).toEqual(Buffer.from(signature));
    }),
    { numRuns: 500 },
  );
});

test.skipIf(!native)('both recover the same key, from sound signatures and from any bytes', () => {
  const anySignature = fc.tuple(word, word).map((parts) => Buffer.concat(parts));
  const sound = fc.tuple(word, privateKey).map(([hash, key]) => portableCurve.sign(hash, key).signature);
  let recovered = 0;
  fc.assert(
    fc.property(word, fc.oneof(anySignature, sound), recoveryId, (hash, signature, id) => {
      const key = portableCurve.recover(hash, signature, id);
      const other = native?.recover(hash, signature, id);
      expect(other && Buffer.from(other)).toEqual(key && Buffer.from(key));
      if (key) recovered++;
    }),
    { numRuns: 1_000 },
  );
  expect(recovered).toBeGreaterThan(100);
});

test('neither signs with a key out of range', () => {
  for (const library of [portableCurve, ...(native ? [native] : [])])
    for (const key of [0n, order]) expect(() => library.sign(bytes(1n), bytes(key))).toThrow();
});

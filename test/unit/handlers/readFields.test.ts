import fc from 'fast-check';
import { encodeAbiParameters, type Hex, stringToHex } from 'viem';
import { expect, test } from 'vitest';
import { readFields } from '../../../src/indexer/decoding/readFields.ts';
import { decodeInputPayload, encodeDataFields } from '../../../src/protocol/index.ts';

const id: Hex = `0x${'1'.repeat(64)}`;
const hexOf = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;

test('bytes that are no array of fields give none', () => {
  expect(readFields('0x')).toBeNull();
  expect(readFields('0x1234')).toBeNull();
  expect(readFields(stringToHex('no array of fields', { size: 96 }))).toBeNull();
});

test('no bytes whatsoever make it fail', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 512 }), (bytes) => void readFields(hexOf(bytes))));
});

test("the stored form is JSON without NUL, and its data are exactly the chain's", () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.uint8Array(), (text, bytes) => {
      const fields = [
        { id, fType: 1, data: encodeAbiParameters([{ type: 'string' }], [text.toWellFormed()]) },
        { id, fType: 1, data: encodeAbiParameters([{ type: 'bytes' }], [hexOf(bytes)]) },
        { id, fType: 0, data: hexOf(bytes) },
      ];
      const stored = readFields(encodeDataFields(fields));
      expect(stored).toMatchObject(fields);
      expect(stored?.[0]?.value).toBe(text.toWellFormed().replaceAll('\u0000', '\ufffd'));
      expect(JSON.stringify(stored)).not.toContain('\\u0000');
    }),
  );
});

/** A payload of `count` fields that all refer to the same bytes. */
function aliasing(count: number, bytes: number): Hex {
  const word = (value: number) => value.toString(16).padStart(64, '0');
  const offsets = Array.from({ length: count }, () => word(32 * count)).join('');
  return `0x${word(32)}${word(count)}${offsets}${'1'.repeat(64)}${word(0)}${word(96)}${word(bytes)}${'ab'.repeat(bytes)}`;
}

test('fields that share bytes of the payload are not decoded: 16 kB would become megabytes', () => {
  expect(readFields(aliasing(1, 8_192))).toHaveLength(1);
  const payload = aliasing(256, 8_192);
  expect(payload.length).toBeLessThan(34_000);
  expect(decodeInputPayload(null, payload)).toHaveLength(256);
  expect(readFields(payload)).toBeNull();
  expect(readFields(aliasing(500, 0))).toBeNull();
});

test('the fields of a long payload are not stored beside it', () => {
  const [longest, longer] = [32_544, 32_576].map((bytes) => aliasing(1, bytes));
  expect(readFields(longest ?? '0x')).toHaveLength(1);
  expect(readFields(longer ?? '0x')).toBeNull();
});

test('the stored form of any payload is bounded by its size', () => {
  fc.assert(
    fc.property(fc.nat(40), fc.nat(400), (count, bytes) => {
      const payload = aliasing(count, bytes);
      expect(JSON.stringify(readFields(payload)).length).toBeLessThan(8 * payload.length);
    }),
  );
});

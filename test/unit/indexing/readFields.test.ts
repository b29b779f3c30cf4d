import fc from 'fast-check';
import { encodeAbiParameters, type Hex, stringToHex } from 'viem';
import { expect, test } from 'vitest';
import { readFields } from '../../../src/indexing/readFields.ts';
import { encodeDataFields } from '../../../src/protocol/index.ts';

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

test('what is stored is JSON without NUL, and its data are exactly those of the chain', () => {
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

import fc from 'fast-check';
import { decodeAbiParameters, encodeAbiParameters, type Hex } from 'viem';
import { expect, test } from 'vitest';
import { isNoLargerThan } from '../../../src/indexer/decoding/isNoLargerThan.ts';

const items = [
  { type: 'tuple[]', components: [{ type: 'bytes32' }, { type: 'bytes' }, { type: 'bool' }] },
] as const;
const word = (value: number) => value.toString(16).padStart(64, '0');

test('what an encoder has made is no larger than its encoding', () => {
  const item = fc.tuple(
    fc.constant(`0x${'1'.repeat(64)}` as const),
    fc.uint8Array({ maxLength: 100 }).map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`),
    fc.boolean(),
  );
  fc.assert(
    fc.property(fc.array(item), (list) => {
      const encoded = encodeAbiParameters(items, [list]);
      expect(isNoLargerThan(decodeAbiParameters(items, encoded), encoded.length)).toBe(true);
    }),
  );
});

test('parts that share bytes are larger than their encoding', () => {
  const count = 100;
  const item = `${'1'.repeat(64)}${word(96)}${word(1)}${word(1_000)}${'ab'.repeat(1_024)}`;
  const encoded: Hex = `0x${word(32)}${word(count)}${word(32 * count).repeat(count)}${item}`;
  const decoded = decodeAbiParameters(items, encoded);
  expect(decoded[0]).toHaveLength(count);
  expect(isNoLargerThan(decoded, encoded.length)).toBe(false);
});

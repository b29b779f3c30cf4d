import { RLP } from '@ethereumjs/rlp';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeRlp, type RlpInput } from '../../../src/api/evidence/encodeRlp.ts';
import { bytesToHex, hexToBytes } from '../../../src/protocol/hex.ts';

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 3 }),
  fc.uint8Array({ minLength: 53, maxLength: 58 }),
  fc.uint8Array({ minLength: 250, maxLength: 260 }),
);
const { item } = fc.letrec<{ item: RlpInput }>((tie) => ({
  item: fc.oneof(
    { depthSize: 'small' },
    bytes,
    bytes.map(bytesToHex),
    fc.array(tie('item'), { maxLength: 8 }),
  ),
}));

/** The form that the library takes. */
type Plain = Uint8Array | Plain[];
const plain = (one: RlpInput): Plain =>
  typeof one === 'string' ? hexToBytes(one) : one instanceof Uint8Array ? one : one.map(plain);

test('items are encoded as a general library does it, hex and bytes alike', () => {
  fc.assert(
    fc.property(item, (one) => {
      expect(bytesToHex(encodeRlp(one))).toBe(bytesToHex(RLP.encode(plain(one))));
    }),
    { numRuns: 500 },
  );
});

test('lengths of one to four bytes are encoded as a general library does it', () => {
  for (const size of [55, 56, 0xff, 0x100, 0xffff, 0x10000, 0xffffff, 0x1000000]) {
    const content = new Uint8Array(size).fill(0x80);
    const [ours, theirs] = [encodeRlp([content]), RLP.encode([content])];
    expect(Buffer.compare(ours, theirs), `${size} bytes`).toBe(0);
  }
});

test('a type precedes its list', () => {
  expect(bytesToHex(encodeRlp(['0x01', '0x'], 2))).toBe('0x02c20180');
});

import fc from 'fast-check';
import { numberToHex } from 'viem';
import { describe, expect, test } from 'vitest';
import { parseDerSignature } from '../../../src/platform/signers/derSignature.ts';

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

function encodeInteger(number: bigint): Buffer {
  const digits = Buffer.from(numberToHex(number).slice(2).padStart(64, '0'), 'hex');
  const start = digits.findIndex((byte) => byte !== 0);
  const bare = digits.subarray(start);
  const bytes = (bare[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bare]) : bare;
  return Buffer.concat([Buffer.of(0x02, bytes.length), bytes]);
}
function encode(...numbers: bigint[]): Buffer {
  const body = Buffer.concat(numbers.map(encodeInteger));
  return Buffer.concat([Buffer.of(0x30, body.length), body]);
}
const scalar = fc.bigInt({ min: 1n, max: order - 1n });

describe('a DER signature', () => {
  test('gives its numbers, the second one in the lower half of the order', () => {
    fc.assert(
      fc.property(scalar, scalar, (r, s) => {
        const lower = s > order / 2n ? order - s : s;
        expect(parseDerSignature(encode(r, s))).toEqual({ r, s: lower });
      }),
    );
  });

  test('that is cut or changed in its frame is refused', () => {
    const der = encode(7n, order - 1n);
    const refused = [
      der.subarray(0, -1),
      Buffer.concat([der, Buffer.of(0)]),
      Buffer.alloc(0),
      encode(7n),
      encode(7n, 8n, 9n),
      Buffer.from('300602010702020008', 'hex'),
      Buffer.from('3006020107020188', 'hex'),
      Buffer.from('3006020107020100', 'hex'),
    ];
    for (const bytes of refused) expect(() => parseDerSignature(bytes)).toThrow(RangeError);
  });

  test('with numbers out of range is refused', () => {
    expect(() => parseDerSignature(encode(order, 1n))).toThrow('out of range');
    expect(() => parseDerSignature(encode(1n, order))).toThrow('out of range');
  });

  test('made of any bytes is a signature or refused, and nothing else happens', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        try {
          const { r, s } = parseDerSignature(bytes);
          expect(r > 0n && r < order && s > 0n && s <= order / 2n).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});

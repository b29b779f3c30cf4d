import { RLP } from '@ethereumjs/rlp';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeRlp, EncodingError, type RlpItem } from '../../../src/protocol/evidence/decodeRlp.ts';

const bytes = fc.uint8Array({ maxLength: 80 });
const { item } = fc.letrec<{ item: RlpItem }>((tie) => ({
  item: fc.oneof({ maxDepth: 6 }, bytes, fc.array(tie('item'), { maxLength: 6 })),
}));
const nest = (depth: number): RlpItem => (depth === 0 ? new Uint8Array() : [nest(depth - 1)]);

/** What the general library makes of bytes; undefined if it refuses them. */
function decodeByLibrary(encoded: Uint8Array): RlpItem | undefined {
  try {
    return RLP.decode(encoded);
  } catch {
    return undefined;
  }
}

function decode(encoded: Uint8Array): RlpItem | undefined {
  try {
    return decodeRlp(encoded);
  } catch (error) {
    if (error instanceof EncodingError) return undefined;
    throw error;
  }
}

describe('RLP', () => {
  test('is read as the general library writes it', () => {
    fc.assert(
      fc.property(item, (value) => {
        expect(decodeRlp(RLP.encode(value))).toEqual(value);
      }),
    );
  });

  test('is refused where the general library refuses it', () => {
    const altered = fc.tuple(item, fc.nat(), fc.nat({ max: 255 })).map(([value, at, byte]) => {
      const encoded = RLP.encode(value);
      encoded[at % encoded.length] = byte;
      return encoded;
    });
    fc.assert(
      fc.property(altered, (encoded) => {
        expect(decode(encoded)).toEqual(decodeByLibrary(encoded));
      }),
      { numRuns: 2_000 },
    );
  });

  test('has at most 8 lists in each other', () => {
    expect(decodeRlp(RLP.encode(nest(8)))).toEqual(nest(8));
    expect(() => decodeRlp(RLP.encode(nest(9)))).toThrow('is nested too deeply');
  });

  test('has at most a million items, of which the short ones need no memory', () => {
    const list = (count: number) => {
      const encoded = new Uint8Array(count + 4).fill(1);
      encoded.set([0xfa, count >> 16, (count >> 8) & 0xff, count & 0xff]);
      return encoded;
    };
    expect(decodeRlp(list(999_999))).toHaveLength(999_999);
    expect(() => decodeRlp(list(1_000_000))).toThrow('has too many parts');
  });

  test.each([
    ['nothing', []],
    ['a length with a leading zero', [0xb9, 0, 56, ...Array(56).fill(1)]],
    ['a length beyond all numbers', [0xff, ...Array(8).fill(0xff), 1]],
    ['an item longer than its list', [0xc1, 0x82, 1, 1]],
  ])('is not %s', (_, encoded) => {
    expect(decode(Uint8Array.from(encoded))).toBeUndefined();
  });
});

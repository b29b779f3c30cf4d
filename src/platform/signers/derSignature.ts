export type SignatureNumbers = { readonly r: bigint; readonly s: bigint };

/** The order of secp256k1. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const tags = { sequence: 0x30, integer: 0x02 } as const;

/**
 * Reads a secp256k1 signature in the form of X.509 and KMS: a DER sequence of two positive integers. The
 * returned `s` is in the lower half of the curve's order: (r, s) and (r, order - s) sign the same, and chains
 * accept only the lower one.
 *
 * @throws RangeError for anything else, including trailing bytes.
 */
export function parseDerSignature(der: Uint8Array): SignatureNumbers {
  const outer = readElement(der, 0, tags.sequence);
  if (outer.end !== der.length) throw new RangeError('the signature has bytes after its end');
  const first = readElement(der, outer.start, tags.integer);
  const second = readElement(der, first.end, tags.integer);
  if (second.end !== outer.end) throw new RangeError('the signature has more than two numbers');
  const [r, s] = [first, second].map(({ start, end }) => readNumber(der.subarray(start, end)));
  if (r === undefined || s === undefined) throw new RangeError('the signature has fewer than two numbers');
  return { r, s: s > order / 2n ? order - s : s };
}

/** Two numbers of this curve fit the short form of lengths. */
function readElement(der: Uint8Array, at: number, tag: number): { start: number; end: number } {
  const length = der[at + 1];
  if (der[at] !== tag || length === undefined || length > 0x7f)
    throw new RangeError('the signature is not valid DER');
  const end = at + 2 + length;
  if (end > der.length) throw new RangeError('the signature is truncated');
  return { start: at + 2, end };
}

function readNumber(bytes: Uint8Array): bigint {
  const [first = 0x80, second = 0x80] = bytes;
  const isPadded = first === 0 && bytes.length > 1 && second < 0x80;
  if (first >= 0x80 || isPadded)
    throw new RangeError('the signature has a number that is not minimally encoded');
  const number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  if (number === 0n || number >= order) throw new RangeError('the signature has a number out of range');
  return number;
}

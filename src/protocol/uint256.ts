const maxUint256 = 2n ** 256n - 1n;
/** More digits than 2^256 needs, without leading zeros: long texts are refused before they become numbers. */
const maxDigits = { decimal: 78, hex: 64 };

/**
 * A uint256 from a decimal or 0x text, a safe integer or a bigint; undefined for anything else or out of
 * range.
 */
export function parseUint256(value: unknown): bigint | undefined {
  if (typeof value === 'string') return parseText(value);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? inRange(BigInt(value)) : undefined;
  return typeof value === 'bigint' ? inRange(value) : undefined;
}

/**
 * A bound written by a document's author: like `parseUint256`, plus whole JSON numbers past 2^53, which stand
 * for the exact value of their double.
 */
export function parseBound(value: unknown): bigint | undefined {
  if (typeof value === 'number' && Number.isInteger(value)) return inRange(BigInt(value));
  return parseUint256(value);
}

function inRange(value: bigint): bigint | undefined {
  return value >= 0n && value <= maxUint256 ? value : undefined;
}

function parseText(text: string): bigint | undefined {
  const [, prefix, digits = ''] = /^(0x)?([0-9a-fA-F]+)$/.exec(text) ?? [];
  const significant = digits.replace(/^0+/, '') || '0';
  if (digits === '' || significant.length > (prefix ? maxDigits.hex : maxDigits.decimal)) return undefined;
  if (prefix) return BigInt(prefix + significant);
  return /^[0-9]+$/.test(significant) ? inRange(BigInt(significant)) : undefined;
}

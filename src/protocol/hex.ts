import type { Hex } from 'viem';

const decoder = new TextDecoder();

/** 0x and two lower-case digits per byte. Joining strings instead would make garbage of fifty bytes per byte. */
export function bytesToHex(bytes: Uint8Array): Hex {
  const digits = new Uint8Array(bytes.length * 2);
  let at = 0;
  for (const byte of bytes) {
    digits[at++] = digitCode(byte >> 4);
    digits[at++] = digitCode(byte & 15);
  }
  return `0x${decoder.decode(digits)}`;
}

/** Whether a text is 0x and two hex digits per byte. */
export function isHexBytes(text: string): boolean {
  return text.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(text);
}

/** The bytes of 0x and an even number of hex digits. */
export function hexToBytes(hex: string): Uint8Array {
  const digits = hex.slice(2);
  const target = new Uint8Array(digits.length / 2);
  writeHexDigits({ digits, target, start: 0 });
  return target;
}

/**
 * Writes the bytes of hex digits (an even number, of either case, without 0x) to `target`, beginning at
 * `start`.
 */
export function writeHexDigits({
  digits,
  target,
  start,
}: {
  digits: string;
  target: Uint8Array;
  start: number;
}): void {
  for (let at = start, digit = 0; digit < digits.length; at++, digit += 2) {
    target[at] = (digitValue(digits.charCodeAt(digit)) << 4) | digitValue(digits.charCodeAt(digit + 1));
  }
}

function digitCode(value: number): number {
  return value + (value < 10 ? 48 : 87);
}

/** Value of one hex digit of either case, from its character code. */
function digitValue(code: number): number {
  return (code & 15) + 9 * (code >> 6);
}

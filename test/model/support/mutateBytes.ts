import type { Hex } from 'viem';
import { pick } from '../../support/random.ts';

/**
 * Numbers with which decoders go wrong: small ones, usual offsets, and the ends of 8, 59, 63, 64, 160 and 256
 * bits.
 */
const boundaries = [
  ...[0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 128, 160, 192, 224, 256, 512, 1_000].map(
    BigInt,
  ),
  ...[8, 31, 32, 53, 59, 63, 64, 128, 160, 255].flatMap((bits) => [
    2n ** BigInt(bits) - 1n,
    2n ** BigInt(bits),
  ]),
  2n ** 64n - 32n,
  2n ** 64n - 2n ** 32n,
  2n ** 59n - 1n,
  2n ** 59n - 2n ** 24n,
  2n ** 256n - 1n,
  2n ** 256n - 32n,
  2n ** 256n - 64n,
];

/** Damages an encoding in one to three ways: words replaced, moved, cut off or added, bytes changed. */
export function mutateBytes(random: () => number, data: Hex): Hex {
  let digits = data.slice(2);
  const times = 1 + Math.floor(random() * 3);
  for (let time = 0; time < times; time++) digits = mutateOnce(random, digits);
  return `0x${digits}`;
}

function mutateOnce(random: () => number, digits: string): string {
  const words = Math.floor(digits.length / 64);
  const at = 64 * Math.floor(random() * Math.max(1, words));
  const word = digits.slice(at, at + 64);
  const replace = (by: string) => digits.slice(0, at) + by + digits.slice(at + 64);
  switch (Math.floor(random() * 9)) {
    case 0:
      return replace(toWord(pick(random, boundaries)));
    case 1: {
      // A slightly wrong offset or size.
      const nearby = BigInt(`0x0${word}`) + BigInt(pick(random, [-64, -32, -31, -1, 1, 31, 32, 64]));
      return replace(toWord(BigInt.asUintN(256, nearby)));
    }
    case 2: {
      const other = 64 * Math.floor(random() * Math.max(1, words));
      return replace(digits.slice(other, other + 64));
    }
    case 3:
      return digits.slice(0, 2 * Math.floor((random() * digits.length) / 2));
    case 4:
      return digits.slice(0, at);
    case 5:
      return replace('');
    case 6:
      return digits.slice(0, at) + toWord(pick(random, boundaries)) + digits.slice(at);
    case 7: {
      const byte = 2 * Math.floor((random() * digits.length) / 2);
      const value = pick(random, [0, 1, 2, 5, 127, 128, 255]).toString(16).padStart(2, '0');
      return digits.slice(0, byte) + value + digits.slice(byte + 2);
    }
    default:
      return digits + pick(random, ['00', 'ff', toWord(0n), toWord(2n ** 256n - 1n)]);
  }
}

function toWord(value: bigint): string {
  return (dependsOnMemory(value) ? 2n ** 64n - 1n : value).toString(16).padStart(64, '0');
}

/**
 * For these lengths, the memory that the call used before decides whether memory for them can be addressed.
 */
function dependsOnMemory(length: bigint): boolean {
  const isBetween = (end: bigint, [from, to]: readonly [bigint, bigint]) =>
    length > end - from && length < end - to;
  return isBetween(2n ** 59n, [2n ** 16n, 5n]) || isBetween(2n ** 64n, [2n ** 21n, 192n]);
}

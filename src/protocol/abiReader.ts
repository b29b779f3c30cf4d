import { PayloadError } from './errors.ts';
import { isHexBytes } from './hex.ts';

const wordDigits = 64;
/** Of a number's word: what is left holds six bytes, which are exact as a number. */
const unusedDigits = '0'.repeat(52);

/**
 * Reads ABI-encoded data as Solidity's decoder does: offsets may point anywhere within the data, also to the same place, and
 * what follows the last item is ignored. Positions are in bytes; data is kept as hex, so that a part of it costs nothing.
 */
export class AbiReader {
  readonly #digits: string;

  /** @throws PayloadError for anything but 0x and an even number of hex digits. */
  constructor(data: string) {
    if (!isHexBytes(data)) throw new PayloadError('must be 0x and an even number of hex digits');
    this.#digits = data.slice(2).toLowerCase();
  }

  get size(): number {
    return this.#digits.length / 2;
  }

  /** @throws PayloadError where the data ends before `at + size`. */
  slice(at: number, size: number): string {
    if (at + size > this.size) throw new PayloadError('ends too early');
    return this.#digits.slice(at * 2, (at + size) * 2);
  }

  word(at: number): string {
    return this.slice(at, wordDigits / 2);
  }

  /** A number that has to point into the data, or count something in it. */
  number(at: number): number {
    const word = this.word(at);
    if (!word.startsWith(unusedDigits)) throw new PayloadError('holds a number that exceeds its own size');
    return Number.parseInt(word.slice(unusedDigits.length), 16);
  }

  /** Hex digits of the byte string whose length stands at that position. */
  byteString(at: number): string {
    return this.slice(at + wordDigits / 2, this.number(at));
  }
}

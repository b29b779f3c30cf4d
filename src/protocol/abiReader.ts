import { PayloadError } from './errors.ts';
import { isHexBytes } from './hex.ts';

const wordDigits = 64;
/** The last six bytes of a number's word, which are exact as a JavaScript number. */
const unusedDigits = '0'.repeat(52);

/**
 * Reads ABI-encoded data as Solidity's decoder does. Offsets may point anywhere in the data, also to the same
 * place. Bytes after the last item are ignored. Positions are in bytes. Data stays hex, so that a slice costs
 * nothing.
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

  /** @throws PayloadError if the data ends before `at + size`. */
  slice(at: number, size: number): string {
    if (at + size > this.size) throw new PayloadError('ends too early');
    return this.#digits.slice(at * 2, (at + size) * 2);
  }

  word(at: number): string {
    return this.slice(at, wordDigits / 2);
  }

  /** A number that points into the data or counts items in it. */
  number(at: number): number {
    const word = this.word(at);
    if (!word.startsWith(unusedDigits)) throw new PayloadError('holds a number that exceeds its own size');
    return Number.parseInt(word.slice(unusedDigits.length), 16);
  }

  /** The hex digits of the byte string whose length is at that position. */
  byteString(at: number): string {
    return this.slice(at + wordDigits / 2, this.number(at));
  }
}

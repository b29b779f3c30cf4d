import type { Hex } from 'viem';
import { writeHexDigits } from './hex.ts';

const wordBytes = 32;

/**
 * Writes the Solidity ABI encoding into one growing buffer. It knows words, byte strings and arrays. The
 * caller lays out the fields of a struct in order. viem's general encoder gives the same bytes many times
 * slower.
 */
export class AbiWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  /** The bytes written so far, as a view that the next write may invalidate. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** A number below 2^53 as one word. */
  number(value: number): void {
    const start = this.#grow(wordBytes);
    this.#setNumber(start, value);
  }

  /** A uint256 as one word. */
  uint(value: bigint): void {
    this.#right(value.toString(16));
  }

  boolean(value: boolean): void {
    this.number(value ? 1 : 0);
  }

  /** 0x and up to 64 hex digits as one word, right-aligned like numbers and addresses. */
  word(value: Hex): void {
    this.#right(value.slice(2));
  }

  /** Length and content of a byte string, padded to whole words. */
  byteString(content: Uint8Array): void {
    this.number(content.length);
    const start = this.#grow(padded(content.length));
    this.#bytes.set(content, start);
  }

  /** Like `byteString`, from 0x and an even number of hex digits. */
  hexString(content: Hex): void {
    const digits = content.slice(2);
    this.number(digits.length / 2);
    const start = this.#grow(padded(digits.length / 2));
    writeHexDigits({ digits, target: this.#bytes, start });
  }

  /** An array whose items have a fixed size: its length, then the items. */
  staticArray<Item>(items: readonly Item[], write: (item: Item) => void): void {
    this.number(items.length);
    for (const item of items) write(item);
  }

  /** An array whose items vary in size: its length, the start of each item, then the items. */
  dynamicArray<Item>(items: readonly Item[], write: (item: Item) => void): void {
    this.number(items.length);
    const base = this.#grow(items.length * wordBytes);
    for (const [index, item] of items.entries()) {
      this.#setNumber(base + index * wordBytes, this.#length - base);
      write(item);
    }
  }

  /** A struct: `write` calls `tail` in its place for each member of variable size. */
  struct(write: (tail: (writeTail: () => void) => void) => void): void {
    const base = this.#length;
    const tails: { at: number; writeTail: () => void }[] = [];
    write((writeTail) => tails.push({ at: this.#grow(wordBytes), writeTail }));
    for (const { at, writeTail } of tails) {
      this.#setNumber(at, this.#length - base);
      writeTail();
    }
  }

  #right(digits: string): void {
    const end = this.#grow(wordBytes) + wordBytes;
    const even = digits.length % 2 === 0 ? digits : `0${digits}`;
    writeHexDigits({ digits: even, target: this.#bytes, start: end - even.length / 2 });
  }

  #setNumber(start: number, value: number): void {
    const view = new DataView(this.#bytes.buffer);
    view.setUint32(start + wordBytes - 8, Math.floor(value / 2 ** 32));
    view.setUint32(start + wordBytes - 4, value >>> 0);
  }

  #grow(size: number): number {
    const start = this.#length;
    this.#length += size;
    if (this.#length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#length, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, start));
      this.#bytes = larger;
    }
    return start;
  }
}

function padded(size: number): number {
  return Math.ceil(size / wordBytes) * wordBytes;
}

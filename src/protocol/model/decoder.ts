import type { Hex } from 'viem';
import { panicOfMemory, refuseBytes } from './reverts.ts';

const wordBytes = 32;
const prefixDigits = 2;
/** What Solidity's decoder takes for a place or a size at all: 64 bits. */
const beyond64Bits = '0'.repeat(48);
/** Memory is numbered with 64 bits, and a call has always used some of it before. */
const memoryEnd = 2 ** 64 - 4096;

/**
 * Solidity's `abi.decode`, to the revert: each step checks in the compiler's order that the data reaches as far as it claims.
 * Places may point anywhere, also backwards and to the same bytes; what nothing points to is ignored. Positions are bytes,
 * data is 0x and lower-case digits, and parts of it are cut out only where they are used.
 */
export function sizeOf(data: Hex): number {
  return (data.length - prefixDigits) / 2;
}

/** The digits of one word. The caller has checked that it is there. */
export function wordAt(data: Hex, at: number): string {
  return digitsAt(data, at, wordBytes);
}

/** The first word of data that holds a single value of fixed size. */
export function decodeWord(data: Hex): string {
  requireHead(data, 1);
  return wordAt(data, 0);
}

/** The digits of an address's word, dirty ones refused. */
export function decodeAddress(data: Hex): string {
  return requireAddress(decodeWord(data));
}

export function requireAddress(word: string): string {
  if (!word.startsWith('0'.repeat(24))) refuseBytes();
  return word;
}

/** The digits of a text's bytes. */
export function decodeText(data: Hex): string {
  requireHead(data, 1);
  return byteStringAt(data, placeAt(data, 0));
}

/** Requires the head of a tuple: this many words. */
export function requireHead(data: Hex, words: number): void {
  if (sizeOf(data) < words * wordBytes) refuseBytes();
}

/** Where something starts, counted from what the caller knows. */
export function placeAt(data: Hex, at: number): number {
  const word = wordAt(data, at);
  return word.startsWith(beyond64Bits) ? Number.parseInt(word.slice(beyond64Bits.length), 16) : refuseBytes();
}

/** The digits of the byte string whose length stands at that position. */
export function byteStringAt(data: Hex, at: number): string {
  const length = lengthAt(data, at);
  requireMemory(Math.ceil(length / wordBytes) * wordBytes + wordBytes);
  const start = at + wordBytes;
  if (start + length > sizeOf(data)) refuseBytes();
  return digitsAt(data, start, length);
}

/** Where the words of an array lie: items of one word each, or the places of larger ones. */
export function arrayAt(data: Hex, at: number): { start: number; length: number } {
  const length = lengthAt(data, at);
  requireMemory(length * wordBytes + wordBytes);
  const start = at + wordBytes;
  if (start + length * wordBytes > sizeOf(data)) refuseBytes();
  return { start, length };
}

function lengthAt(data: Hex, at: number): number {
  if (at + wordBytes > sizeOf(data)) refuseBytes();
  const word = wordAt(data, at);
  return word.startsWith(beyond64Bits)
    ? Number.parseInt(word.slice(beyond64Bits.length), 16)
    : panicOfMemory();
}

/**
 * Memory for something is numbered before anything looks whether the data is there. How much the call has used by then is not
 * counted here: only lengths that come that close to 2^64 would show a difference.
 */
function requireMemory(size: number): void {
  if (size >= memoryEnd) panicOfMemory();
}

function digitsAt(data: Hex, at: number, size: number): string {
  const start = prefixDigits + at * 2;
  return data.slice(start, start + size * 2);
}

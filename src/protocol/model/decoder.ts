import type { Hex } from 'viem';
import { panicOfMemory, refuseBytes } from './reverts.ts';

const wordBytes = 32;
const prefixDigits = 2;
/** The largest offset or size that Solidity's decoder accepts: 64 bits. */
const beyond64Bits = '0'.repeat(48);
/** Memory is addressed with 64 bits, and a call has always used some of it already. */
const memoryEnd = 2 ** 64 - 4096;

/**
 * Solidity's `abi.decode`, including its reverts: each step checks, in the compiler's order, that the data is
 * long enough. Offsets may point anywhere, also backwards and to the same bytes; bytes without an offset are
 * ignored. Positions are bytes, data is 0x and lower-case digits, and slices are cut only when used.
 */
export function sizeOf(data: Hex): number {
  return (data.length - prefixDigits) / 2;
}

/** The digits of one word. The caller has checked that the word exists. */
export function wordAt(data: Hex, at: number): string {
  return digitsAt(data, at, wordBytes);
}

/** The first word of data that holds a single value of fixed size. */
export function decodeWord(data: Hex): string {
  requireHead(data, 1);
  return wordAt(data, 0);
}

/** The digits of an address's word; dirty upper bytes are refused. */
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

/** Requires the head of a tuple with this many words. */
export function requireHead(data: Hex, words: number): void {
  if (sizeOf(data) < words * wordBytes) refuseBytes();
}

/** The start of a value, counted from a position that the caller knows. */
export function placeAt(data: Hex, at: number): number {
  const word = wordAt(data, at);
  return word.startsWith(beyond64Bits) ? Number.parseInt(word.slice(beyond64Bits.length), 16) : refuseBytes();
}

/** The digits of the byte string whose length is at that position. */
export function byteStringAt(data: Hex, at: number): string {
  const length = lengthAt(data, at);
  requireMemory(Math.ceil(length / wordBytes) * wordBytes + wordBytes);
  const start = at + wordBytes;
  if (start + length > sizeOf(data)) refuseBytes();
  return digitsAt(data, start, length);
}

/** The position of an array's words: items of one word each, or offsets of larger items. */
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
 * Memory is allocated before the data's length is checked. The memory that the call has used before is not
 * counted; that matters only for lengths close to 2^64.
 */
function requireMemory(size: number): void {
  if (size >= memoryEnd) panicOfMemory();
}

function digitsAt(data: Hex, at: number, size: number): string {
  const start = prefixDigits + at * 2;
  return data.slice(start, start + size * 2);
}

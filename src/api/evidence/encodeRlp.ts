import type { Hex } from 'viem';
import { writeHexDigits } from '../../protocol/hex.ts';

/** Bytes, whole bytes as hex, or a list of these. */
export type RlpInput = Hex | Uint8Array | readonly RlpInput[];

/**
 * The RLP of a list, after a type's byte if one is given. Measures first and then writes once: general
 * encoders create an array for every field of every block, and collecting that garbage takes longer than
 * encoding.
 */
export function encodeRlp(list: RlpInput, type?: number): Uint8Array {
  const start = type === undefined ? 0 : 1;
  const target = new Uint8Array(start + sizeOf(list));
  if (type !== undefined) target[0] = type;
  write(list, target, start);
  return target;
}

function sizeOf(item: RlpInput): number {
  const payload = payloadOf(item);
  return isItsOwn(item) ? 1 : headSize(payload) + payload;
}

function payloadOf(item: RlpInput): number {
  if (typeof item === 'string') return item.length / 2 - 1;
  if (item instanceof Uint8Array) return item.length;
  let size = 0;
  for (const part of item) size += sizeOf(part);
  return size;
}

/** A single byte below 0x80 stands for itself. */
function isItsOwn(item: RlpInput): boolean {
  if (typeof item === 'string') return item.length === 4 && item.charCodeAt(2) < 56;
  return item instanceof Uint8Array && item.length === 1 && (item[0] ?? 0) < 0x80;
}

/** At most four bytes of length: a block is smaller. */
function headSize(payload: number): number {
  if (payload < 56) return 1;
  return payload < 0x100 ? 2 : payload < 0x10000 ? 3 : payload < 0x1000000 ? 4 : 5;
}

/** Returns the position after its output. */
function write(item: RlpInput, target: Uint8Array, at: number): number {
  const payload = payloadOf(item);
  const isList = typeof item !== 'string' && !(item instanceof Uint8Array);
  let place = isItsOwn(item) ? at : writeHead(payload, isList ? 0xc0 : 0x80, { target, at });
  if (typeof item === 'string') writeHexDigits({ digits: item.slice(2), target, start: place });
  else if (item instanceof Uint8Array) target.set(item, place);
  else for (const part of item) place = write(part, target, place);
  return isList ? place : place + payload;
}

function writeHead(
  payload: number,
  base: number,
  { target, at }: { target: Uint8Array; at: number },
): number {
  const size = headSize(payload);
  if (size === 1) target[at] = base + payload;
  else {
    target[at] = base + 54 + size;
    for (let byte = 1; byte < size; byte++) target[at + byte] = (payload >>> (8 * (size - 1 - byte))) & 0xff;
  }
  return at + size;
}

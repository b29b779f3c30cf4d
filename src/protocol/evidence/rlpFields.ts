import { RLP } from '@ethereumjs/rlp';
import type { Hex } from 'viem';
import { bytesToHex } from '../hex.ts';
import { decodeRlp, EncodingError, type RlpItem } from './decodeRlp.ts';

/** A list in canonical RLP. @throws EncodingError otherwise. */
export function decodeList(bytes: Uint8Array): RlpItem[] {
  return listItem(decodeRlp(bytes));
}

export function encodeList(items: RlpItem[]): Uint8Array {
  return RLP.encode(items);
}

export function listItem(item: RlpItem | undefined): RlpItem[] {
  if (item === undefined || item instanceof Uint8Array) throw new EncodingError('lacks a list');
  return item;
}

export function bytesItem(item: RlpItem | undefined): Uint8Array {
  if (item instanceof Uint8Array) return item;
  throw new EncodingError('lacks a field');
}

export function hexItem(item: RlpItem | undefined, bytes?: number): Hex {
  const found = bytesItem(item);
  if (bytes !== undefined && found.length !== bytes)
    throw new EncodingError(`has a field that is not ${bytes} bytes`);
  return bytesToHex(found);
}

/** A number without leading zeros. */
export function numberItem(item: RlpItem | undefined): bigint {
  const found = bytesItem(item);
  if (found[0] === 0 || found.length > 32) throw new EncodingError('has a number that is not canonical');
  return found.length === 0 ? 0n : BigInt(bytesToHex(found));
}

/**
 * The content of a typed transaction's or receipt's envelope: its type (0 for none) and the encoded list.
 * @throws EncodingError for an explicit 0.
 */
export function openEnvelope(bytes: Uint8Array): { type: number; body: Uint8Array } {
  const [first = 0] = bytes;
  if (first === 0) throw new EncodingError('has an unknown type');
  return first < 0x80 ? { type: first, body: bytes.subarray(1) } : { type: 0, body: bytes };
}

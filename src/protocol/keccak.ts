import { createKeccak } from 'hash-wasm';
import type { Hex } from 'viem';
import { toUtf8 } from './utf8.ts';

/** One sponge serves all calls: hashing is synchronous, and each digest resets it. */
const sponge = await createKeccak(256);

/** keccak256 of a text's UTF-8 bytes. */
export function keccak256Text(text: string): Hex {
  return keccak256Bytes(toUtf8(text));
}

/** keccak256 of bytes, as 0x and 64 lower-case hex digits. */
export function keccak256Bytes(bytes: Uint8Array): Hex {
  return `0x${sponge.init().update(bytes).digest('hex')}`;
}

import { type Hex, keccak256 } from 'viem';

const utf8 = new TextEncoder();

/** keccak256 of bytes, as 0x and 64 lower-case hex digits. */
export function keccak256Bytes(bytes: Uint8Array): Hex {
  return keccak256(bytes);
}

/** keccak256 of a text's UTF-8 bytes. */
export function keccak256Text(text: string): Hex {
  return keccak256Bytes(utf8.encode(text));
}

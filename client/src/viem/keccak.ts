import { type Hex, keccak256, stringToBytes } from 'viem';

/**
 * The protocol's hash function in the package: viem's own, instead of WebAssembly, which some runtimes
 * refuse.
 */
export function keccak256Text(text: string): Hex {
  return keccak256(stringToBytes(text));
}

export function keccak256Bytes(bytes: Uint8Array): Hex {
  return keccak256(bytes);
}

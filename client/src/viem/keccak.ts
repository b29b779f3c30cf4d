import { type Hex, keccak256, stringToBytes } from 'viem';

/** What the protocol room hashes with in the package: the peer's own, instead of WebAssembly that some runtimes refuse. */
export function keccak256Text(text: string): Hex {
  return keccak256(stringToBytes(text));
}

export function keccak256Bytes(bytes: Uint8Array): Hex {
  return keccak256(bytes);
}

import type { Hex } from 'viem';
import { bytesToHex } from './hex.ts';
import { assembleKeccak, keccakMemory, keccakRate } from './keccakModule.ts';

const utf8 = new TextEncoder();

/** keccak256 of a text's UTF-8 bytes. */
export function keccak256Text(text: string): Hex {
  return keccak256Bytes(utf8.encode(text));
}

type Sponge = { readonly memory: Uint8Array; readonly absorb: (blocks: number) => void };

/** Made when it is first needed: importing this module does nothing. It is empty between two calls. */
let sponge: Sponge | undefined;

/** keccak256 of bytes, as 0x and 64 lower-case hex digits. */
export function keccak256Bytes(bytes: Uint8Array): Hex {
  sponge ??= createSponge();
  const { memory, absorb } = sponge;
  const capacity = Math.floor((keccakMemory.end - keccakMemory.input) / keccakRate) * keccakRate;
  let start = 0;
  for (; bytes.length - start >= capacity; start += capacity) {
    memory.set(bytes.subarray(start, start + capacity), keccakMemory.input);
    absorb(capacity / keccakRate);
  }
  const rest = bytes.length - start;
  const blocks = Math.floor(rest / keccakRate) + 1;
  const end = keccakMemory.input + blocks * keccakRate;
  memory.set(bytes.subarray(start), keccakMemory.input);
  memory.fill(0, keccakMemory.input + rest, end);
  memory[keccakMemory.input + rest] = 0x01;
  memory[end - 1] = (memory[end - 1] ?? 0) | 0x80;
  absorb(blocks);
  const digest = bytesToHex(memory.subarray(keccakMemory.state, keccakMemory.state + 32));
  memory.fill(0, keccakMemory.state, keccakMemory.state + 200);
  return digest;
}

function createSponge(): Sponge {
  const { memory, absorb } = new WebAssembly.Instance(new WebAssembly.Module(assembleKeccak())).exports;
  return { memory: new Uint8Array(memory.buffer), absorb };
}

/** As far as it is used here: the compiler's libraries know WebAssembly only together with the browser. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
  ) => {
    readonly exports: {
      readonly memory: { readonly buffer: ArrayBuffer };
      readonly absorb: (blocks: number) => void;
    };
  };
};

import type { Hex } from 'viem';
import { AbiReader } from './abiReader.ts';

/** One data field of a payload. */
export type RawField = { readonly id: Hex; readonly fType: number; readonly data: Hex };

/**
 * Solidity's `abi.decode(payload, (DataField[]))`, but field types unknown to the contracts are kept.
 *
 * @throws PayloadError for bytes that the contract would not have accepted as a list of data fields either.
 */
export function decodeDataFields(payload: Hex): RawField[] {
  const reader = new AbiReader(payload);
  const start = reader.number(0);
  const base = start + 32;
  const length = reader.number(start);
  reader.slice(base, length * 32);
  return Array.from({ length }, (_, index) => {
    const at = base + reader.number(base + index * 32);
    const data = reader.byteString(at + reader.number(at + 64));
    return { id: `0x${reader.word(at)}`, fType: reader.number(at + 32), data: `0x${data}` };
  });
}

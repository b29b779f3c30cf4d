import type { Hex } from 'viem';

/** The contract call of an input's outbox row, as far as the contract's rules need it. */
export type InputCallData = { readonly inputId: Hex; readonly payload: Hex; readonly deadline: bigint };

const selectorDigits = 2 + 8;
const wordDigits = 64;

/** Reads the call data that this service writes for `submitInputWithPermit`. */
export function readInputCall(callData: Hex): InputCallData {
  const at = (word: number) => selectorDigits + word * wordDigits;
  const wordAt = (start: number) => callData.slice(start, start + wordDigits);
  const numberAt = (start: number) => Number.parseInt(wordAt(start), 16);
  const payloadStart = at(0) + 2 * numberAt(at(2));
  const payloadDigits = 2 * numberAt(payloadStart);
  const dataStart = payloadStart + wordDigits;
  return {
    inputId: `0x${wordAt(at(1))}`,
    payload: `0x${callData.slice(dataStart, dataStart + payloadDigits)}`,
    deadline: BigInt(`0x${wordAt(at(3))}`),
  };
}

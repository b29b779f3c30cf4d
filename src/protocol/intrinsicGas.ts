import type { Hex } from 'viem';

const transactionGas = 21_000n;
const zeroByteGas = 4n;
const otherByteGas = 16n;
/** By EIP-7623 a transaction costs at least so much for its data, whatever it does. */
const zeroByteFloor = 10n;
const otherByteFloor = 40n;

/** What a transaction costs before it does anything, and the least that it costs in all. */
export type IntrinsicGas = { readonly gas: bigint; readonly floor: bigint };

/** The price of a call's data, as Ethereum and the chains that follow it have it. */
export function intrinsicGas(callData: Hex): IntrinsicGas {
  let zeros = 0;
  for (let at = 2; at < callData.length; at += 2) {
    if (callData.charCodeAt(at) === digitZero && callData.charCodeAt(at + 1) === digitZero) zeros++;
  }
  const zeroBytes = BigInt(zeros);
  const otherBytes = BigInt(callData.length / 2 - 1) - zeroBytes;
  return {
    gas: transactionGas + zeroByteGas * zeroBytes + otherByteGas * otherBytes,
    floor: transactionGas + zeroByteFloor * zeroBytes + otherByteFloor * otherBytes,
  };
}

const digitZero = 48;

import type { Hex } from 'viem';

const transactionGas = 21_000n;
const zeroByteGas = 4n;
const otherByteGas = 16n;
/** EIP-7623: the least cost per unit of a transaction's data, whatever the transaction does. */
const zeroByteFloor = 10n;
const otherByteFloor = 40n;

/** The cost of a transaction before it does anything, and its least total cost. */
export type IntrinsicGas = { readonly gas: bigint; readonly floor: bigint };

/** The price of call data, on Ethereum and chains that follow it. */
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

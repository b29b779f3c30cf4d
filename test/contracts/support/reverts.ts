import { type Abi, encodeErrorResult, type Hex, parseAbi } from 'viem';

/**
 * The revert data of a custom error, from its text, `Name(type name, …)`, and its values. It does not use the
 * generated ABIs: a test's expectation comes from the specification alone.
 */
export function customError(signature: string, ...args: unknown[]): Hex {
  const text: readonly string[] = [`error ${signature}`];
  const abi: Abi = parseAbi(text);
  return encodeErrorResult({ abi, args });
}

/** The revert data of `revert("…")`. */
export const reason = (text: string): Hex => customError('Error(string reason)', text);

/** The revert data of a failed Solidity check. */
export const panic = (code: bigint): Hex => customError('Panic(uint256 code)', code);

/** The revert data of the ABI decoder, and of a bare `revert()`. */
export const withoutData: Hex = '0x';

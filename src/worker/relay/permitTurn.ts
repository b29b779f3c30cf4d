import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  type PublicClient,
} from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';

/** A signer's permit for one contract. */
export type PermitPlace = {
  readonly contract: Address;
  readonly permit: { readonly signer: Address; readonly nonce: bigint };
};

/**
 * The state of a permit's nonce in its contract at the newest block: used up, next, or waiting for missing
 * earlier permits. Unknown if the contract has no nonces, for example because there is no contract at the
 * address.
 *
 * @throws BaseError if no endpoint answers.
 */
export async function readPermitTurn(
  client: PublicClient,
  { contract, permit }: PermitPlace,
): Promise<'used' | 'now' | 'later' | 'unknown'> {
  const nonce = await readNonce(client, { contract, signer: permit.signer });
  if (nonce === undefined) return 'unknown';
  if (nonce > permit.nonce) return 'used';
  return nonce === permit.nonce ? 'now' : 'later';
}

async function readNonce(
  client: PublicClient,
  { contract, signer }: { contract: Address; signer: Address },
): Promise<bigint | undefined> {
  // The factory and the engine declare `nonces` in the same way.
  const reading = { address: contract, abi: agreementEngineAbi, functionName: 'nonces' } as const;
  try {
    return await client.readContract({ ...reading, args: [signer] });
  } catch (error) {
    if (error instanceof BaseError && error.walk(isContractFault)) return undefined;
    throw error;
  }
}

function isContractFault(error: unknown): boolean {
  return error instanceof ContractFunctionRevertedError || error instanceof ContractFunctionZeroDataError;
}

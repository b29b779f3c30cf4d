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
 * Where a permit stands, as its contract says at the newest block: its nonce is used up, it is its turn, or permits that came before
 * it are not there. Unknown where the contract has no nonces, as where none stands at the address.
 *
 * @throws BaseError where no endpoint answers.
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
  // The factory and the engine declare `nonces` alike.
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

import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  type PublicClient,
} from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import type { IndexHead } from './indexHead.ts';

/** A signer's permit for one contract. */
export type PermitPlace = {
  readonly contract: Address;
  readonly permit: { readonly signer: Address; readonly nonce: bigint };
};

/**
 * The state of a permit's nonce in its contract, at the newest block or at the given one: used up, next, or
 * waiting for missing earlier permits. Unknown if the contract has no nonces, for example because there is no
 * contract at the address.
 *
 * @throws BaseError if no endpoint answers, or none has the block.
 */
export async function readPermitTurn(
  client: PublicClient,
  { contract, permit }: PermitPlace,
  block?: IndexHead,
): Promise<'used' | 'now' | 'later' | 'unknown'> {
  const nonce = await readNonce(client, { contract, signer: permit.signer, block });
  if (nonce === undefined) return 'unknown';
  if (nonce > permit.nonce) return 'used';
  return nonce === permit.nonce ? 'now' : 'later';
}

async function readNonce(
  client: PublicClient,
  { contract, signer, block }: { contract: Address; signer: Address; block: IndexHead | undefined },
): Promise<bigint | undefined> {
  // The factory and the engine declare `nonces` in the same way.
  const reading = { address: contract, abi: agreementEngineAbi, functionName: 'nonces' } as const;
  try {
    return await client.readContract({ ...reading, args: [signer], ...(block && { blockHash: block.hash }) });
  } catch (error) {
    if (error instanceof BaseError && error.walk(isContractFault)) return undefined;
    throw error;
  }
}

function isContractFault(error: unknown): boolean {
  return error instanceof ContractFunctionRevertedError || error instanceof ContractFunctionZeroDataError;
}

import { type Address, type Hex, hexToBigInt, type PublicClient } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { findOwnError } from './ownRefusal.ts';
import { type Call, type Simulation, simulateCall } from './simulateCall.ts';
import { chainUnavailable } from './unavailable.ts';

/** On-chain data about a permit at the latest block. */
export type PermitFacts = {
  /** The signer's next nonce in the contract. */
  readonly nonce: bigint;
  /** Unix seconds of the latest block. */
  readonly blockTimestamp: bigint;
  /** The latest block, if a node was asked. */
  readonly block?: { readonly number: bigint; readonly hash: Hex } | undefined;
  /** The agreement's state; undefined for a factory. */
  readonly currentState: Hex | undefined;
  /** Undefined if no call was given. */
  readonly simulation: Simulation | undefined;
};

type PermitQuery = {
  readonly contract: Address;
  readonly signer: Address;
  readonly isAgreement: boolean;
  readonly call: Call | undefined;
};

/**
 * Reads everything that decides about a permit in one round trip.
 *
 * @throws ChainUnavailableError if no endpoint of the chain answers.
 */
export async function readPermitFacts(client: PublicClient, query: PermitQuery): Promise<PermitFacts> {
  const facts = await readOnce(client, query);
  // If a block is mined between the two answers, a valid signature can look invalid.
  const isDoubtful = findOwnError(facts.simulation) === 'InvalidSignature';
  return isDoubtful ? readOnce(client, query) : facts;
}

async function readOnce(client: PublicClient, query: PermitQuery): Promise<PermitFacts> {
  const { contract, signer, isAgreement, call } = query;
  // The factory and the engine declare `nonces` in the same way.
  const reading = { address: contract, abi: agreementEngineAbi } as const;
  const [nonce, block, currentState, simulation] = await Promise.all([
    client.readContract({ ...reading, functionName: 'nonces', args: [signer] }).catch(refuse),
    client.request({ method: 'eth_getBlockByNumber', params: ['latest', false] }).catch(refuse),
    isAgreement ? client.readContract({ ...reading, functionName: 'currentState' }).catch(refuse) : undefined,
    call && simulateCall(client, call),
  ]);
  if (!block) throw chainUnavailable(new Error('the node has no latest block'));
  const { number, hash, timestamp } = block;
  const identity = number && hash ? { number: hexToBigInt(number), hash } : undefined;
  return { nonce, blockTimestamp: hexToBigInt(timestamp), block: identity, currentState, simulation };
}

function refuse(cause: unknown): never {
  throw chainUnavailable(cause);
}

import {
  type Address,
  type BlockTag,
  type Hex,
  hexToBigInt,
  isHex,
  type PublicClient,
  type RpcBlockIdentifier,
  type RpcRequestError,
} from 'viem';
import { chainUnavailable, findCallFault } from './unavailable.ts';

export type Call = { readonly from: Address | undefined; readonly to: Address; readonly data: Hex };

/** The result of a call in the next block. */
export type Simulation =
  | { readonly ok: true; readonly gas: bigint }
  /** `data` is the contract's revert data; absent if the node gives only words. */
  | { readonly ok: false; readonly data: Hex | undefined; readonly message: string };

/** More than a block of any chain holds, and with a margin far less than the database can count. */
export const mostBelievedGas = 2n ** 53n;

/** The gas of the call in the next block. @throws if it would revert, or no endpoint answers with what a block can hold. */
export async function estimateGas(client: PublicClient, { from, to, data }: Call): Promise<bigint> {
  const call = { ...(from && { from }), to, data };
  const gas = hexToBigInt(await client.request({ method: 'eth_estimateGas', params: [call] }));
  if (gas > mostBelievedGas) throw new Error(`a node estimates ${gas} gas, more than a block holds`);
  return gas;
}

/**
 * Runs a call on the latest block without sending it, and estimates its gas at the same time.
 *
 * @throws ChainUnavailableError if no endpoint of the chain runs it.
 */
export async function simulateCall(client: PublicClient, call: Call): Promise<Simulation> {
  const { from, to, data } = call;
  try {
    return { ok: true, gas: await estimateGas(client, call) };
  } catch (error) {
    const answer = findCallFault(error);
    if (!answer) throw chainUnavailable(error);
    // Some nodes leave the revert data out of estimates but return them for a plain call.
    const revertData =
      findRevertData(answer) ??
      (await findRevert(client, { from, to, data }, 'latest').catch(() => undefined))?.data;
    return { ok: false, data: revertData, message: answer.details };
  }
}

/**
 * The revert of a call in the state after a block, with the contract's revert data if the node gives them;
 * undefined if it succeeds.
 *
 * @throws BaseError if no endpoint of the chain runs it there.
 */
export async function findRevert(
  client: PublicClient,
  { from, to, data }: Call,
  block: Hex | BlockTag | RpcBlockIdentifier,
): Promise<{ readonly data: Hex | undefined } | undefined> {
  try {
    await client.request({ method: 'eth_call', params: [{ ...(from && { from }), to, data }, block] });
    return undefined;
  } catch (error) {
    const answer = findCallFault(error);
    if (!answer) throw error;
    return { data: findRevertData(answer) };
  }
}

function findRevertData({ data }: RpcRequestError): Hex | undefined {
  if (isHex(data)) return data;
  if (typeof data !== 'object' || data === null || !('data' in data)) return undefined;
  return isHex(data.data) ? data.data : undefined;
}

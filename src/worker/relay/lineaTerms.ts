import {
  type Address,
  BaseError,
  type Hex,
  hexToBigInt,
  MethodNotFoundRpcError,
  MethodNotSupportedRpcError,
  type PublicClient,
} from 'viem';
import { estimateGas } from 'viem/linea';
import { findCallFault } from '../../platform/nodes/unavailable.ts';

/** Linea's terms for one call: the tip covers the cost of publishing its data on Ethereum. */
export type LineaTerms = { readonly gas: bigint; readonly baseFeePerGas: bigint; readonly tip: bigint };

const lineaChains = new Set([59_141, 59_144]);
/** After this time an endpoint is asked again that did not know the method, or gave no answer. */
const absenceMs = 10 * 60_000;
const troubleMs = 15_000;

/** Asks Linea for the terms of single calls, as long as the endpoint supports it; undefined on other chains. */
export function createLineaEstimator(client: PublicClient, chainId: number) {
  let absentUntil = lineaChains.has(chainId) ? 0 : Number.POSITIVE_INFINITY;
  return {
    isOffered: () => absentUntil <= performance.now(),
    /** Undefined if the endpoint has no answer for this call: then the chain's general fees apply. */
    async estimate(call: { from: Address; to: Address; data: Hex }): Promise<LineaTerms | undefined> {
      const { from: account, to, data } = call;
      try {
        const { gasLimit, baseFeePerGas, priorityFeePerGas } = await estimateGas(client, {
          account,
          to,
          data,
        });
        return { gas: gasLimit, baseFeePerGas, tip: priorityFeePerGas };
      } catch (error) {
        if (!findCallFault(error))
          absentUntil = performance.now() + (isUnknownMethod(error) ? absenceMs : troubleMs);
        return undefined;
      }
    },
  };
}

function isUnknownMethod(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  const cause = error.walk(
    (one) => one instanceof MethodNotFoundRpcError || one instanceof MethodNotSupportedRpcError,
  );
  return cause !== null;
}

/** The gas of the call if it were mined now. @throws if it would revert, or no endpoint answers. */
export async function estimateCallGas(
  client: PublicClient,
  call: { from: Address; to: Address; data: Hex },
): Promise<bigint> {
  return hexToBigInt(await client.request({ method: 'eth_estimateGas', params: [call] }));
}

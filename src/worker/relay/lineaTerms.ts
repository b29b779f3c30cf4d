import {
  type Address,
  type Hex,
  MethodNotFoundRpcError,
  MethodNotSupportedRpcError,
  type PublicClient,
} from 'viem';
import { estimateGas } from 'viem/linea';
import { mostBelievedGas } from '../../platform/nodes/simulateCall.ts';
import { findNodeAnswer } from '../../platform/nodes/unavailable.ts';

/** Linea's terms for one call: the tip covers the cost of publishing its data on Ethereum. */
export type LineaTerms = { readonly gas: bigint; readonly baseFeePerGas: bigint; readonly tip: bigint };

const lineaChains = new Set([59_141, 59_144]);
/** After this time an endpoint is asked again that did not know the method, or gave no answer. */
const absenceMs = 10 * 60_000;
const troubleMs = 15_000;
const unknownMethodCodes: ReadonlySet<number> = new Set([
  MethodNotFoundRpcError.code,
  MethodNotSupportedRpcError.code,
]);
/** Some gateways use codes of their own. */
const unknownMethod =
  /(unknown|unsupported|invalid) method|method\b.{0,60}\b(not (found|supported|available|allowed|exist)|does not exist|unknown|unsupported)/i;

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
        if (gasLimit > mostBelievedGas) return undefined;
        return { gas: gasLimit, baseFeePerGas, tip: priorityFeePerGas };
      } catch (error) {
        // What the endpoint says about one call, or what its contract does, must not change the fees of other calls.
        if (isUnknownMethod(error)) absentUntil = performance.now() + absenceMs;
        else if (!findNodeAnswer(error)) absentUntil = performance.now() + troubleMs;
        return undefined;
      }
    },
  };
}

function isUnknownMethod(error: unknown): boolean {
  const answer = findNodeAnswer(error);
  if (!answer) return false;
  if (unknownMethodCodes.has(answer.code)) return true;
  // A contract chooses the words of its revert.
  const isRevert = answer.data !== undefined || /revert/i.test(answer.details);
  return !isRevert && unknownMethod.test(answer.details);
}

import type { Hex } from 'viem';
import type { Disturbance, RpcCall } from './relayNode.ts';

/** Has a node run calls and estimates at an older block; those in the state of a named block get `named`. */
export function callsBehind({ method, params }: RpcCall, block: Hex, named: Disturbance): Disturbance {
  if (method !== 'eth_estimateGas' && method !== 'eth_call') return undefined;
  const [call, at] = params;
  return at === undefined || at === 'latest' ? { params: [call, block] } : named;
}

/** The answer of a node that does not have a block. */
export const unknownBlock = { error: { code: -32_000, message: 'header not found' } };

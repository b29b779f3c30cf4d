import { BaseError, RpcRequestError } from 'viem';
import { ChainUnavailableError } from '../errors/serviceError.ts';
import { EndpointsRestError } from './endpointsRestError.ts';

/**
 * Error codes of nodes that are themselves the problem, not the call: limits, internal errors, methods not
 * offered.
 */
const nodeTroubleCodes = new Set([-32_005, -32_007, -32_601, -32_603, -32_004, -32_002, 429]);
/** Some nodes use one code both for a failing call and for a missing block; only the words differ. */
const callFaults = /revert|gas|opcode|stack|jump|code size|execution/i;
/** Words of nodes that lack the block or its state. Some send data along, but have not run the call. */
const blockAbsences =
  /(block|header|state|trie node|resource).{0,80}(not found|not available|unavailable|unknown|missing)|(unknown|missing|no) (block|header|state|trie node)/i;

/** The node's own error, if it answered at all. */
export function findNodeAnswer(error: unknown): RpcRequestError | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const answer = error.walk((cause) => cause instanceof RpcRequestError);
  return answer instanceof RpcRequestError ? answer : undefined;
}

/** The same, if the call itself caused the failure. */
export function findCallFault(error: unknown): RpcRequestError | undefined {
  const answer = findNodeAnswer(error);
  if (!answer || nodeTroubleCodes.has(answer.code)) return undefined;
  const { data, details } = answer;
  const isFault = callFaults.test(details) || (data !== undefined && !blockAbsences.test(details));
  return isFault ? answer : undefined;
}

/**
 * The error for a chain that no endpoint serves. The endpoints' answers stay in the cause, which callers
 * never see.
 */
export function chainUnavailable(cause: unknown): ChainUnavailableError {
  const rest = cause instanceof BaseError && cause.walk((one) => one instanceof EndpointsRestError);
  const retryAfterSeconds = rest instanceof EndpointsRestError ? Math.ceil(rest.waitMs / 1_000) : undefined;
  return new ChainUnavailableError('The chain is unavailable.', {
    cause,
    ...(retryAfterSeconds !== undefined && retryAfterSeconds > 0 && { retryAfterSeconds }),
  });
}

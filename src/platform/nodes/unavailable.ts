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

/** The node's own answer, if the call itself caused the failure. */
export function findCallFault(error: unknown): RpcRequestError | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const answer = error.walk((cause) => cause instanceof RpcRequestError);
  if (!(answer instanceof RpcRequestError) || nodeTroubleCodes.has(answer.code)) return undefined;
  return answer.data !== undefined || callFaults.test(answer.details) ? answer : undefined;
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

import { AgreementsClient, ApiError, ConnectionError, type Signature } from '../../client/src/index.ts';
import { patienceMs } from './patience.ts';

export type { Signature };

/**
 * A client that sends each call once and does not wait for writes. For programs that measure, or decide
 * themselves what to repeat.
 */
export function createSingleCallClient(stack: { baseUrl: string; apiKey: string }): AgreementsClient {
  const { baseUrl, apiKey } = stack;
  return new AgreementsClient({
    baseUrl,
    apiKey,
    maxRetries: 0,
    readYourWrites: false,
    timeoutMs: patienceMs,
  });
}

/** Whether a call failed because the service was unreachable or unable to answer. */
export function isAway(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof ApiError && error.status === 503);
}

import { AgreementsClient, ApiError, ConnectionError, type Signature } from '../../client/src/index.ts';
import { patienceMs } from './patience.ts';

export type { Signature };

/**
 * A client that sends each call once, without waiting for writes: for programs that measure, or decide
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

/** Whether a call failed because nobody was there, or able, to answer it. */
export function isAway(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof ApiError && error.status === 503);
}

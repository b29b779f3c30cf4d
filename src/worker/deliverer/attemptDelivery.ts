import { type Dispatcher, request } from 'undici';
import { describeConnectionFault } from './connectionFault.ts';
import { wasIdle } from './idleConnections.ts';
import { excerptOf } from './responseExcerpt.ts';

export type AttemptRequest = {
  url: string;
  headers: Record<string, string>;
  /** The signed bytes. */
  body: Uint8Array;
  /** Limit for the whole attempt. */
  timeoutMs: number;
  /** Bytes of the answer to read; then the connection is closed. */
  responseBytes: number;
  /** Aborts the attempt; `attemptDelivery` then throws. */
  signal: AbortSignal;
};

export type AttemptOutcome = {
  durationMs: number;
  responseStatus: number | undefined;
  responseExcerpt: string | undefined;
  /** Why there was no answer, or why an answer was not read to its end. */
  error: string | undefined;
};

/**
 * Posts a delivery once. The status counts as soon as it arrives, whatever happens to the body: the body is
 * only read for the log, up to its limit and within the time of the attempt.
 *
 * @throws the reason of `signal` once that is aborted.
 */
export async function attemptDelivery(
  dispatcher: Dispatcher,
  attempt: AttemptRequest,
): Promise<AttemptOutcome> {
  const startedAt = performance.now();
  const ending = new AbortController();
  let isOverdue = false;
  const timer = setTimeout(() => {
    isOverdue = true;
    ending.abort();
  }, attempt.timeoutMs);
  const stop = () => ending.abort();
  attempt.signal.addEventListener('abort', stop, { once: true });
  const describe = (error: unknown) =>
    isOverdue ? `no complete response within ${attempt.timeoutMs} ms` : describeConnectionFault(error);
  const outcome = (found: Omit<AttemptOutcome, 'durationMs'>) => ({
    ...found,
    durationMs: Math.round(performance.now() - startedAt),
  });

  try {
    attempt.signal.throwIfAborted();
    const answer = await post(dispatcher, attempt, ending.signal).catch((error: unknown) => ({ error }));
    attempt.signal.throwIfAborted();
    if ('error' in answer)
      return outcome({
        responseStatus: undefined,
        responseExcerpt: undefined,
        error: describe(answer.error),
      });
    const read = await readBody(answer.body, attempt.responseBytes);
    attempt.signal.throwIfAborted();
    return outcome({
      responseStatus: answer.statusCode,
      responseExcerpt: excerptOf(read.bytes) || undefined,
      error: read.failure === undefined ? undefined : describe(read.failure),
    });
  } finally {
    clearTimeout(timer);
    attempt.signal.removeEventListener('abort', stop);
  }
}

/**
 * If the receiver closes an idle connection just as it is reused, that says nothing about the receiver: the
 * retry uses a new one.
 */
async function post(
  dispatcher: Dispatcher,
  attempt: AttemptRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const options = {
    dispatcher,
    method: 'POST',
    headers: attempt.headers,
    body: attempt.body,
    signal,
    headersTimeout: 0,
    bodyTimeout: 0,
  } as const;
  try {
    return await request(attempt.url, options);
  } catch (error) {
    if (signal.aborted || !wasIdle(error)) throw error;
    return await request(attempt.url, { ...options, reset: true });
  }
}

async function readBody(
  body: AsyncIterable<Uint8Array> & { destroy(): unknown; on(event: 'error', listener: () => void): unknown },
  limit: number,
): Promise<{ bytes: Uint8Array; failure?: unknown }> {
  // Closing it early is not a failure.
  body.on('error', () => {});
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > limit) break;
    }
  } catch (failure) {
    return { bytes: Buffer.concat(chunks), failure };
  } finally {
    body.destroy();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, limit) };
}

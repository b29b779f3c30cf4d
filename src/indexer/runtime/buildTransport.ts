import { type HttpTransport, http } from 'viem';

/** Calls of a node over HTTP. The time-out of viem alone ends with the first byte of an answer, this one with its last. */
export function buildTransport(
  url: string,
  { timeoutMs, retryCount }: { timeoutMs: number; retryCount?: number },
): HttpTransport {
  return http(url, {
    timeout: timeoutMs,
    ...(retryCount !== undefined && { retryCount }),
    fetchFn: (input, init) => {
      const signals = [init?.signal ?? [], AbortSignal.timeout(timeoutMs)].flat();
      return fetch(input, { ...init, signal: AbortSignal.any(signals) });
    },
  });
}

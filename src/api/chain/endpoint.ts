import { type Chain, http, type Transport } from 'viem';
import { createEndpointHealth, type EndpointHealth, type EndpointStatus } from './endpointHealth.ts';
import { createRequestBudget, type RequestBudget } from './requestBudget.ts';

/** One way to a chain, with what this process knows of it. */
export type Endpoint = {
  /** Host and port of the URL alone: path, query and user may be the key to it. */
  readonly host: string;
  readonly health: EndpointHealth;
  readonly budget: RequestBudget;
  readonly transport: ReturnType<Transport>;
};

/** What operators are shown of an endpoint. */
export type EndpointFacts = {
  readonly chainId: number;
  readonly host: string;
  readonly status: EndpointStatus;
  readonly restsForMs: number;
  readonly failuresInARow: number;
  /** HTTP requests since the process started, by what became of them. */
  readonly requests: ReturnType<EndpointHealth['counts']>;
};

/** How many calls go out in one HTTP request; public endpoints refuse long batches. */
const batchSize = 20;

/** Connects to an endpoint; nothing is asked before somebody does. */
export function createEndpoint(options: {
  url: string;
  host: string;
  chain: Chain;
  timeoutMs: number;
  requestsPerSecond: number | undefined;
}): Endpoint {
  const { url, host, chain, timeoutMs, requestsPerSecond } = options;
  const health = createEndpointHealth();
  const transport = http(url, {
    batch: { batchSize },
    timeout: timeoutMs,
    retryCount: 0,
    fetchFn: watchFetch(health),
  })({ chain, retryCount: 0 });
  return { host, health, budget: createRequestBudget(requestsPerSecond), transport };
}

export function describeEndpoint(chainId: number, { host, health }: Endpoint): EndpointFacts {
  return {
    chainId,
    host,
    status: health.status(),
    restsForMs: health.restsForMs(),
    failuresInARow: health.failuresInARow(),
    requests: health.counts(),
  };
}

/** The hosts of URLs, each by a name of its own: `node.example`, `node.example#2`. */
export function nameHosts(urls: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return urls.map((url) => {
    const { host } = new URL(url);
    const number = (seen.get(host) ?? 0) + 1;
    seen.set(host, number);
    return number === 1 ? host : `${host}#${number}`;
  });
}

/** Notes each request once, however many calls it holds. Answers are read to their end here: one that never ends is a failure. */
function watchFetch(health: EndpointHealth): typeof fetch {
  return async (input, init) => {
    try {
      const response = await fetch(input, init);
      const body = await response.text();
      const { status, statusText, headers } = response;
      if (status === 429) health.noteLimit(readRetryAfter(headers.get('retry-after'), Date.now()));
      else if (response.ok) health.noteAnswer();
      else health.noteFailure();
      // The body is decoded already.
      const kept = new Headers({ 'content-type': headers.get('content-type') ?? 'application/json' });
      return new Response(body, { status, statusText, headers: kept });
    } catch (error) {
      health.noteFailure();
      throw error;
    }
  };
}

/** Milliseconds that a `Retry-After` asks for, in seconds or until a date; undefined where it says nothing of use. */
export function readRetryAfter(text: string | null, nowMs: number): number | undefined {
  if (text === null || text.trim() === '') return undefined;
  const waitMs = /^\s*\d+\s*$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined;
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { ChainConfiguration } from '../../platform/config/configuration.ts';

/** After this error Ponder pauses a node, for some seconds at most, and uses another. */
const tooManyRequests = 429;
const patienceMs = 2_000;
/** How long Ponder waits for the newest block. Its requests must end faster than it makes them: 25 at a time, ten a second. */
const silenceMs = 1_000;
const longestAnswerMs = 10_000;
/** A node that is only slow for a moment is not worth a line in the log. */
const reportedMs = 5_000;
/** For an answer without a block: an error of the node, or of a proxy before it. */
const badGateway = 502;

const latestBlock = /"method":"eth_getBlockByNumber".*"latest"/;
const blockNumber = /"number":"(0x[0-9a-f]+)"/i;
const answerShape = z.object({ result: z.string() });

type Newest = {
  readonly answer: string;
  readonly number: number;
  /** Its request, counted over all endpoints of the chain. */
  readonly request: number;
};

/** The endpoints of a chain, and the newest block reported to Ponder. */
type Followed = {
  readonly name: string;
  readonly urls: readonly string[];
  requests: number;
  newest: Newest | undefined;
  /** Milliseconds as `performance.now` counts them; undefined while a node answers. */
  silentSince: number | undefined;
  isReported: boolean;
};

const answering = { silentSince: undefined, isReported: false };

/** A single URL may hide several nodes, so it is asked this many more times. */
const repetitions = 3;

/**
 * Ponder treats a lower latest block as a reorg. It has several such requests in flight, so answers can arrive out of
 * order. Only the newest request's answer counts. A node that is behind reports nothing while another is ahead; a
 * single URL is asked again. If none is ahead, the chain really became shorter.
 */
export function passOverLateNodes(
  chains: readonly Pick<ChainConfiguration, 'name' | 'rpcUrls'>[],
  logger: Logger,
): void {
  const followed = new Map<string, Followed>();
  for (const { name, rpcUrls } of chains) {
    const chain: Followed = { name, urls: rpcUrls, requests: 0, newest: undefined, ...answering };
    for (const url of rpcUrls) followed.set(url, chain);
  }
  const fetchUrl = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const chain = input instanceof Request ? followed.get(input.url) : undefined;
    if (!(input instanceof Request) || !chain) return fetchUrl(input, init);
    const body = await input.clone().text();
    if (!latestBlock.test(body)) return fetchUrl(input, init);
    const asked = askNewest({ chain, input, body }, fetchUrl);
    if (!chain.newest) return asked;
    const answered = await Promise.race([asked.catch(() => undefined), delay(silenceMs, undefined)]);
    if (answered && (answered.ok || answered.status === tooManyRequests)) {
      if (chain.isReported) logger.info({ chain: chain.name }, 'a node of this chain answers again');
      Object.assign(chain, answering);
      return answered;
    }
    const others = chain.urls.filter((other) => other !== input.url);
    const heads = await Promise.all(others.map((other) => askHead(other, fetchUrl, silenceMs)));
    if (heads.some((head) => head >= 0)) return passedOver();
    const now = performance.now();
    chain.silentSince ??= now;
    if (!chain.isReported && now - chain.silentSince > reportedMs) {
      const { name } = chain;
      logger.warn(
        { chain: name, status: answered?.status },
        'no node of this chain answers; its index waits',
      );
      chain.isReported = true;
    }
    // Ponder keeps asking while no node answers. It would work off all of these requests before it follows the chain
    // again, at a rate that each failure has lowered. So it gets the last answer; a late one is for the next request.
    return new Response(chain.newest.answer, { headers });
  };
}

/** The newest block of the chain, as far as this node or one of a later request knows it. */
async function askNewest(
  { chain, input, body }: { chain: Followed; input: Request; body: string },
  fetchUrl: typeof fetch,
): Promise<Response> {
  const { url } = input;
  const request = ++chain.requests;
  const signal = AbortSignal.any([input.signal, AbortSignal.timeout(longestAnswerMs)]);
  const response = await fetchUrl(input, { signal });
  let answer = await response.text();
  let number = numberOf(answer);
  const { status } = response;
  if (status !== 200 || number === undefined)
    return new Response(answer, { status: status === 200 ? badGateway : status, headers });
  const isLower = () => chain.newest && request > chain.newest.request && (number ?? 0) < chain.newest.number;
  const others = chain.urls.filter((other) => other !== url);
  for (let asked = 0; others.length === 0 && isLower() && asked < repetitions; asked++) {
    const again = await askAgain({ url, body }, fetchUrl);
    if (again && again.number > number) ({ answer, number } = again);
  }
  if (others.length > 0 && isLower()) {
    const heads = await Promise.all(others.map((other) => askHead(other, fetchUrl, patienceMs)));
    if (heads.some((head) => head > (number ?? 0))) return passedOver();
  }
  if (!chain.newest || request > chain.newest.request) chain.newest = { answer, number, request };
  return new Response(chain.newest.answer, { headers });
}

function numberOf(answer: string): number | undefined {
  const number = blockNumber.exec(answer)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** The newest block in another answer; undefined if there is none in time. */
async function askAgain(
  { url, body }: { url: string; body: string },
  fetchUrl: typeof fetch,
): Promise<Pick<Newest, 'answer' | 'number'> | undefined> {
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const response = await fetchUrl(url, { method: 'POST', headers, body, signal });
    const answer = await response.text();
    const number = response.ok ? numberOf(answer) : undefined;
    return number === undefined ? undefined : { answer, number };
  } catch {
    return undefined;
  }
}

/** The newest block of another node; -1 if it does not answer. */
async function askHead(url: string, fetchUrl: typeof fetch, timeoutMs: number): Promise<number> {
  try {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetchUrl(url, { method: 'POST', headers, body, signal });
    return Number(answerShape.parse(await response.json()).result);
  } catch {
    return -1;
  }
}

function passedOver(): Response {
  return new Response(late, { status: tooManyRequests, headers });
}

const late = JSON.stringify({ jsonrpc: '2.0', error: { code: -32_001, message: 'this node is behind' } });
const headers = { 'content-type': 'application/json' };

import { setImmediate } from 'node:timers/promises';
import { createRandom, pick } from '../support/random.ts';
import { isSuccess } from './measureRequests.ts';
import { lengthen, lengthenQuery, measureText, shorten } from './support/lengthen.ts';
import type { ProbedProcess } from './support/probedProcess.ts';
import { sendRequest } from './support/sendRequest.ts';
import type { WorstRequest } from './support/worstRequests.ts';

/** The most milliseconds of processor time in one turn for any request found. */
export const mostFoundMs = 100;
const mostFindings = 20;
/** The number of slowest requests, per route and size, that are changed further. */
const kept = 12;
const confirmations = 5;
/**
 * The number of concurrent requests. If a batch took longer than the kept requests, each of its requests is
 * sent again by itself.
 */
const atOnce = 8;
/** Small bodies show within milliseconds whatever grows faster than its size, so most bodies are small. */
const smallCharacters = 16_384;
const smallShare = 0.9;
const mostCharacters = 800_000;

export type Found = { name: string; turnMs: number; status: number; text: string };
export type FuzzReport = {
  seed: number;
  requests: number;
  perSecond: number;
  /** The number of requests answered with success: refused requests find little. */
  successes: number;
  longest: readonly Found[];
  /** The longest of the small bodies. */
  longestSmall: readonly Found[];
  findings: readonly Found[];
  failures: readonly string[];
};

type Sent = { request: WorstRequest; text: string | undefined; route: string; isSmall: boolean };
type Candidate = { request: WorstRequest; turnMs: number };

/**
 * Changes the worst requests repeatedly, preferring those with the longest turns of the event loop. Reports
 * requests that take longer than allowed; the least of several measurements counts. Many principals take
 * turns in sending requests about no particular record, because each principal must pause after a large
 * request.
 */
export async function fuzzTime(options: {
  api: ProbedProcess;
  apiKey: string;
  /** The keys of principals who own nothing. */
  otherKeys: readonly string[];
  requests: readonly WorstRequest[];
  minutes: number;
  seed: number;
  bodyBytes: number;
  onProgress(message: string): void;
}): Promise<FuzzReport> {
  const { api, apiKey, otherKeys, minutes, seed, bodyBytes, onProgress } = options;
  const random = createRandom(seed);
  const seeds = options.requests.filter(isFuzzed);
  const bodies = seeds.flatMap(({ body }) => (body === undefined ? [] : [body]));
  const large = { others: bodies, most: mostCharacters, random };
  const shortened = bodies.map((body) => attempt(() => shorten(body))).filter((body) => body !== undefined);
  const small = { others: shortened, most: smallCharacters / 4, random };
  const byRoute = Map.groupBy(seeds, routeOf);
  const routes = [...byRoute.keys()];
  const best = new Map<string, Candidate[]>();
  const found = { all: [] as Found[], small: [] as Found[] };
  const findings: Found[] = [];
  const failures: string[] = [];
  let successes = 0;
  let nextKey = 0;

  const keyOf = ({ path, credential = 'apiKey' }: WorstRequest) => {
    if (credential !== 'apiKey' || !/^\/v0\/agreements\/[a-z-]+$|^\/mcp/.test(path)) return apiKey;
    return otherKeys[nextKey++ % otherKeys.length] ?? apiKey;
  };
  const send = async ({ request, text, route }: Sent) => {
    const key = keyOf(request);
    const headers =
      request.credential === 'apiKey' ? { ...request.headers, 'x-api-key': key } : request.headers;
    const answer = await sendRequest({ ...api, apiKey: key }, { ...request, headers }, text);
    if (answer.status === 500)
      failures.push(`${route}: ${request.path.slice(0, 300)} ${text?.slice(0, 300)}`);
    if (isSuccess(request, answer)) successes++;
    return answer.status;
  };
  const readTurn = async () => {
    const { longestMs } = await api.read();
    return longestMs > mostFoundMs / 2 ? longestMs / (await api.findSlowness()) : longestMs;
  };
  const measure = async (sent: Sent) => {
    await api.read();
    const status = await send(sent);
    return { status, turnMs: await readTurn() };
  };
  const poolOf = ({ route, isSmall }: Pick<Sent, 'route' | 'isSmall'>) =>
    `${isSmall ? 'small ' : ''}${route}`;
  const leastOf = (sent: Sent) => {
    const pool = best.get(poolOf(sent)) ?? [];
    return pool.length < kept ? 0 : (pool.at(-1)?.turnMs ?? 0);
  };

  const build = (): Sent | undefined => {
    const route = pick(random, routes);
    const isSmall = random() < smallShare;
    const grown = best.get(poolOf({ route, isSmall })) ?? [];
    // Small requests with long turns are lengthened too.
    const pool = isSmall || random() < 0.7 ? grown : [...grown, ...(best.get(`small ${route}`) ?? [])];
    const parent =
      pool.length > 0 && random() < 0.7
        ? pick(random, pool).request
        : pick(random, byRoute.get(route) ?? seeds);
    const { body, path } = parent;
    const request: WorstRequest = {
      ...parent,
      path: body === undefined ? lengthenQuery(path, random) : path,
      body: body && attempt(() => (isSmall ? lengthen(shorten(body), small) : lengthen(body, large))),
    };
    if (body !== undefined && measureText(request.body, bodyBytes) > bodyBytes) return undefined;
    const text = attempt(() => JSON.stringify(request.body));
    if (body !== undefined && (text === undefined || text.length > bodyBytes)) return undefined;
    return { request, text, route, isSmall: (text?.length ?? 0) <= smallCharacters };
  };

  /** Keeps a request if it took longer than the kept ones each time. */
  const confirm = async (sent: Sent) => {
    const { request, text = '', route, isSmall } = sent;
    const least = leastOf(sent);
    // A turn may be long for another reason, such as garbage collection.
    const turns: number[] = [];
    let status = 0;
    do {
      const measured = await measure(sent);
      status = measured.status;
      turns.push(measured.turnMs);
    } while (turns.length < confirmations && Math.min(...turns) > least);
    const turnMs = Math.min(...turns);
    if (turnMs <= least) return;
    const pool = [...(best.get(poolOf(sent)) ?? []), { request, turnMs }];
    best.set(poolOf(sent), pool.toSorted((one, other) => other.turnMs - one.turnMs).slice(0, kept));
    const { method, path } = request;
    const name = `${method} ${route}, from ${request.name}`;
    const what: Found = { name, turnMs, status, text: text === '' ? path : text };
    for (const list of isSmall ? [found.all, found.small] : [found.all]) {
      list.push(what);
      list.sort((one, other) => other.turnMs - one.turnMs);
      list.splice(10);
    }
    if (turnMs > mostFoundMs) findings.push(what);
  };

  const beganAt = performance.now();
  const endsAt = beganAt + minutes * 60_000;
  let count = 0;
  let nextTold = 1_000;
  const buildBatch = () => Array.from({ length: atOnce }, build).filter((sent) => sent !== undefined);
  let next = buildBatch();
  while (performance.now() < endsAt && findings.length < mostFindings) {
    const batch = next;
    await api.read();
    const answered = Promise.all(batch.map(send));
    // Builds the next batch while this one is under way.
    await setImmediate();
    next = buildBatch();
    await answered;
    const turnMs = await readTurn();
    count += batch.length;
    for (const sent of batch) if (turnMs > leastOf(sent)) await confirm(sent);
    if (count < nextTold) continue;
    nextTold += 5_000;
    const most = found.all[0]?.turnMs.toFixed(0);
    onProgress(`${count} requests, ${successes} successes, ${findings.length} findings, ${most} ms at most`);
  }
  return {
    ...{ seed, requests: count, successes, findings, failures },
    perSecond: count / ((performance.now() - beganAt) / 1_000),
    longest: found.all,
    longestSmall: found.small,
  };
}

/** Other measurements cover endless answers, files of many megabytes, and requests that work only once. */
function isFuzzed({ path, method, forMs, prepare, text }: WorstRequest): boolean {
  return !/\/evidence(\?|$)/.test(path) && method !== 'DELETE' && !forMs && !prepare && text === undefined;
}

function routeOf({ method, path, tool }: WorstRequest): string {
  return tool ?? `${method} ${path.split('?', 1)[0]}`;
}

/** Undefined if a value nests deeper than this program itself can copy. */
function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export function describeFuzz(report: FuzzReport): string {
  const { seed, requests, perSecond, successes, longest, longestSmall } = report;
  const list = (all: readonly Found[]) =>
    all.map(
      ({ name, turnMs, status, text }) =>
        `  ${turnMs.toFixed(1)} ms  ${status}  ${name}: ${text.length} bytes, ${text.slice(0, 120)}`,
    );
  return [
    `${requests} requests (seed ${seed}), ${perSecond.toFixed(0)} a second, ${successes} successes; the longest turns of the event loop:`,
    ...list(longest),
    `of bodies up to ${smallCharacters} characters:`,
    ...list(longestSmall),
  ].join('\n');
}

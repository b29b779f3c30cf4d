import { createRandom, pick } from '../support/random.ts';
import { lengthen } from './support/lengthen.ts';
import type { ProbedProcess } from './support/probedProcess.ts';
import { sendRequest } from './support/sendRequest.ts';
import type { WorstRequest } from './support/worstRequests.ts';

/** Milliseconds of a processor that nothing found may take at a time. */
export const mostFoundMs = 100;
const mostFindings = 20;
/** How many of the longest of each route are changed further. */
const kept = 12;
const confirmations = 5;

export type Found = { name: string; turnMs: number; status: number; text: string };
export type FuzzReport = {
  seed: number;
  requests: number;
  longest: readonly Found[];
  findings: readonly Found[];
  failures: readonly string[];
};

type Candidate = { request: WorstRequest; turnMs: number };

/**
 * Changes the worst requests again and again, those further that took the event loop longest, and tells what takes it longer than
 * it may: the least of several times that the same request is sent.
 */
export async function fuzzTime(options: {
  api: ProbedProcess;
  apiKey: string;
  requests: readonly WorstRequest[];
  minutes: number;
  seed: number;
  bodyBytes: number;
  onProgress(message: string): void;
}): Promise<FuzzReport> {
  const { api, apiKey, requests, minutes, seed, bodyBytes, onProgress } = options;
  const random = createRandom(seed);
  const sent = requests.filter(({ body }) => body !== undefined);
  const bodies = sent.map(({ body }) => body);
  const byRoute = Map.groupBy(sent, ({ path }) => path);
  const best = new Map<string, Candidate[]>();
  const longest: Found[] = [];
  const findings: Found[] = [];
  const failures: string[] = [];
  const measure = async (request: WorstRequest, text: string) => {
    await api.read();
    const { status } = await sendRequest({ ...api, apiKey }, request, text);
    const { longestMs } = await api.read();
    const isLong = longestMs > mostFoundMs / 2;
    return { status, turnMs: isLong ? longestMs / (await api.findSlowness()) : longestMs };
  };

  const endsAt = performance.now() + minutes * 60_000;
  let count = 0;
  while (performance.now() < endsAt && findings.length < mostFindings) {
    const route = pick(random, [...byRoute.keys()]);
    const parents = best.get(route) ?? [];
    const parent =
      parents.length > 0 && random() < 0.7
        ? pick(random, parents).request
        : pick(random, byRoute.get(route) ?? sent);
    const request = {
      ...parent,
      headers: undefined,
      body: attempt(() => lengthen(parent.body, bodies, random)),
    };
    const text = attempt(() => JSON.stringify(request.body));
    if (text === undefined || text.length > bodyBytes) continue;
    const first = await measure(request, text);
    count++;
    if (first.status === 500) failures.push(`${route}: ${text.slice(0, 300)}`);
    if (count % 500 === 0)
      onProgress(
        `${count} requests, ${findings.length} findings, ${JSON.stringify(longest[0]?.turnMs)} ms at most`,
      );
    const least = parents.at(-1)?.turnMs ?? 0;
    if (parents.length >= kept && first.turnMs <= least) continue;
    // A turn may have been long for another reason, as when memory was cleared.
    const turns = [first.turnMs];
    while (turns.length < confirmations && Math.min(...turns) > least)
      turns.push((await measure(request, text)).turnMs);
    const turnMs = Math.min(...turns);
    best.set(
      route,
      [...parents, { request, turnMs }].toSorted((one, other) => other.turnMs - one.turnMs).slice(0, kept),
    );
    const found = {
      name: `${request.method} ${route}, from ${parent.name}`,
      turnMs,
      status: first.status,
      text,
    };
    longest.push(found);
    longest.sort((one, other) => other.turnMs - one.turnMs);
    longest.splice(10);
    if (turnMs > mostFoundMs) findings.push(found);
  }
  return { seed, requests: count, longest, findings, failures };
}

/** Undefined for what nests deeper than this program itself can copy. */
function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A report in lines for a terminal. */
export function describeFuzz({ seed, requests, longest }: FuzzReport): string {
  return [
    `${requests} requests (seed ${seed}); the longest turns of the event loop:`,
    ...longest.map(
      ({ name, turnMs, status, text }) =>
        `  ${turnMs.toFixed(1)} ms  ${status}  ${name}: ${text.length} bytes, ${text.slice(0, 120)}`,
    ),
  ].join('\n');
}

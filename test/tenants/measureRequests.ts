import type { ServiceStack } from '../support/serviceStack.ts';
import type { ProbedProcess } from './support/probedProcess.ts';
import { type Answer, sendRequest, textOf } from './support/sendRequest.ts';
import type { WorstRequest } from './support/worstRequests.ts';

const mebibyte = 1024 * 1024;

export const bounds = {
  /**
   * Milliseconds of processor time in one turn of the event loop, on an otherwise idle processor. Nobody else
   * has a turn meanwhile.
   */
  turnMs: 50,
  /** The growth of the process meanwhile, including memory that is not collected yet. */
  memoryBytes: 64 * mebibyte,
  answerBytes: 6 * mebibyte,
  rows: 32,
} as const;

/**
 * Evidence files grow with the history. The service sends them in pieces, and the memory bound limits how
 * much it holds.
 */
const piecewise = /\/evidence$/;
const mostPiecewiseBytes = 512 * mebibyte;
/** The first request stores a proof for each of the 41 transactions in the history. */
const mostPiecewiseRows = 48;

/**
 * A request's cost: the least of several tries, because the first ones meet code that is not compiled yet.
 */
export type Cost = {
  name: string;
  /** The best of its answers: a request that works only once is refused from then on. */
  status: number;
  /** The statuses of all other answers. */
  statuses: number[];
  turnMs: number;
  firstMs: number;
  memoryBytes: number;
  bytes: number;
  /** The most bytes that its answer may have. */
  mostBytes: number;
  rows: number;
  mostRows: number;
  /** Whether one of its answers was a success. */
  isAnswered: boolean;
  /** The beginning of the first unsuccessful answer. */
  refusal?: string;
};

const tries = 12;

/**
 * Sends each request by itself, several times at most, until it stays below the bounds, and returns what each
 * has cost.
 */
export async function measureRequests(options: {
  stack: ServiceStack;
  api: ProbedProcess;
  apiKey: string;
  requests: readonly WorstRequest[];
  onCost?(cost: Cost): void;
}): Promise<Cost[]> {
  const { stack, api, apiKey, requests, onCost } = options;
  const costs: Cost[] = [];
  for (const request of requests) {
    const { name, path, prepare } = request;
    const text = textOf(request);
    const rowsBefore = await countRows(stack);
    const turns: number[] = [];
    const growths: number[] = [];
    const statuses: number[] = [];
    let bytes = 0;
    let isAnswered = false;
    let refusal: string | undefined;
    do {
      const prepared = prepare ? textOf(await prepare()) : text;
      // The first reading starts a new peak, so the second one is the memory that the process holds now.
      await api.read();
      const { recentPeakBytes: held } = await api.read();
      const answer = await sendRequest({ ...api, apiKey }, request, prepared);
      statuses.push(answer.status);
      if (isSuccess(request, answer)) isAnswered = true;
      else refusal ??= answer.text.slice(0, 300);
      bytes = Math.max(bytes, answer.bytes);
      const { longestMs, recentPeakBytes } = await api.read();
      growths.push(recentPeakBytes - held);
      turns.push(longestMs > bounds.turnMs / 2 ? longestMs / (await api.findSlowness()) : longestMs);
    } while (
      turns.length < tries &&
      (Math.min(...turns) > bounds.turnMs / 2 || Math.min(...growths) > bounds.memoryBytes)
    );
    const rows = Math.ceil(((await countRows(stack)) - rowsBefore) / turns.length);
    const [firstMs = 0] = turns;
    const status = Math.min(...statuses);
    const isPiecewise = piecewise.test(path.split('?', 1)[0] ?? '');
    const cost: Cost = {
      ...{ name, status, statuses, turnMs: Math.min(...turns), firstMs, bytes, rows, isAnswered },
      memoryBytes: Math.max(0, Math.min(...growths)),
      mostBytes: isPiecewise ? mostPiecewiseBytes : bounds.answerBytes,
      mostRows: isPiecewise ? mostPiecewiseRows : bounds.rows,
      ...(refusal !== undefined && { refusal }),
    };
    costs.push(cost);
    onCost?.(cost);
  }
  return costs;
}

/** For agents, a refusal is an answer with a successful HTTP status. */
export function isSuccess({ path }: WorstRequest, { status, text }: Answer): boolean {
  if (status < 200 || status > 299) return false;
  return !path.startsWith('/mcp') || !/"isError":true|"error":\{/.test(text.slice(-100_000));
}

/** The requests that exceeded a bound or failed, in words. */
export function listCostly(costs: readonly Cost[]): string[] {
  return costs.flatMap(({ name, statuses, turnMs, memoryBytes, bytes, mostBytes, rows, mostRows }) => [
    ...(statuses.some((status) => status === 500) ? [`${name}: 500`] : []),
    ...(turnMs > bounds.turnMs ? [`${name}: computed for ${turnMs.toFixed(0)} ms at a time`] : []),
    ...(memoryBytes > bounds.memoryBytes
      ? [`${name}: needed ${Math.round(memoryBytes / mebibyte)} MiB`]
      : []),
    ...(bytes > mostBytes ? [`${name}: answered with ${bytes} bytes`] : []),
    ...(rows > mostRows ? [`${name}: wrote ${rows} rows`] : []),
  ]);
}

async function countRows({ pool }: ServiceStack): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(`
    select coalesce(sum((xpath('/row/c/text()',
      query_to_xml(format('select count(*) as c from service.%I', tablename), false, true, '')))[1]::text::bigint), 0) as count
    from pg_tables where schemaname = 'service'`);
  return Number(rows[0]?.count ?? 0);
}

import type { ServiceStack } from '../support/serviceStack.ts';
import type { ProbedProcess } from './support/probedProcess.ts';
import { sendRequest, textOf } from './support/sendRequest.ts';
import type { WorstRequest } from './support/worstRequests.ts';

/** What one request may cost at most. */
export const bounds = {
  /** Milliseconds of a processor that is not busy otherwise, for which nobody else has a turn. */
  turnMs: 50,
  answerBytes: 6 * 1024 * 1024,
  rows: 10,
} as const;

/** What a request has cost: the least of some tries, as the first ones find code that is not compiled yet. */
export type Cost = {
  name: string;
  status: number;
  turnMs: number;
  firstMs: number;
  bytes: number;
  rows: number;
};

const tries = 6;

/** Sends each request by itself until it stays below the bounds, some times at most, and tells what each has cost. */
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
    const text = textOf(request);
    const rowsBefore = await countRows(stack);
    const turns: number[] = [];
    let answer = { status: 0, bytes: 0 };
    do {
      await api.read();
      const { status, bytes } = await sendRequest({ ...api, apiKey }, request, text);
      answer = { status, bytes: Math.max(bytes, answer.bytes) };
      const { longestMs } = await api.read();
      turns.push(longestMs > bounds.turnMs / 2 ? longestMs / (await api.findSlowness()) : longestMs);
    } while (turns.length < tries && Math.min(...turns) > bounds.turnMs / 2);
    const rows = Math.ceil(((await countRows(stack)) - rowsBefore) / turns.length);
    const [firstMs = 0] = turns;
    const cost = { name: request.name, ...answer, turnMs: Math.min(...turns), firstMs, rows };
    costs.push(cost);
    onCost?.(cost);
  }
  return costs;
}

/** What is above a bound, or failed, in words. */
export function listCostly(costs: readonly Cost[]): string[] {
  return costs.flatMap(({ name, status, turnMs, bytes, rows }) => [
    ...(status === 500 || status === 0 ? [`${name}: ${status}`] : []),
    ...(turnMs > bounds.turnMs ? [`${name}: computed for ${turnMs.toFixed(0)} ms at a time`] : []),
    ...(bytes > bounds.answerBytes ? [`${name}: answered with ${bytes} bytes`] : []),
    ...(rows > bounds.rows ? [`${name}: wrote ${rows} rows`] : []),
  ]);
}

async function countRows({ pool }: ServiceStack): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(`
    select coalesce(sum((xpath('/row/c/text()',
      query_to_xml(format('select count(*) as c from service.%I', tablename), false, true, '')))[1]::text::bigint), 0) as count
    from pg_tables where schemaname = 'service'`);
  return Number(rows[0]?.count ?? 0);
}

import { Agent, interceptors, request } from 'undici';
import { HttpRequestError, RpcRequestError, TimeoutError } from 'viem';
import { z } from 'zod';
import { parseJson } from '../errors/parseJson.ts';
import type { EndpointHealth } from './endpointHealth.ts';

/** A call in the form for nodes: its parameters hold no bigint. */
export type RpcCall = { readonly method: string; readonly params?: unknown };

type Waiting = { readonly call: RpcCall; resolve(answer: unknown): void; reject(error: unknown): void };

/** Calls per HTTP request; public endpoints refuse long batches. */
const batchSize = 20;
const mostDetails = 300;
const mostAnswerBytes = 10 * 1024 * 1024;
/** Whole blocks are requested alone: several in one answer could exceed the limit on answers. */
const largeMethods: ReadonlySet<string> = new Set(['eth_getBlockByHash', 'eth_getBlockReceipts']);

const answersShape = z.array(
  z.object({
    id: z.number(),
    result: z.unknown().optional(),
    error: z
      .object({ code: z.number().catch(0), message: z.string().catch(''), data: z.unknown().optional() })
      .nullish(),
  }),
);

/** Connections are reused between requests; idle ones do not keep a process alive. */
const agent = new Agent({ maxResponseSize: mostAnswerBytes }).compose(
  interceptors.redirect({ maxRedirections: 5 }),
);

/**
 * Asks one endpoint. Calls made in one turn of the event loop share one HTTP request; each gets its own
 * answer. Calls with large answers get their own request. Each request is noted once in `health`, however
 * many calls it holds. The returned function throws the errors of viem's own transport: RpcRequestError if
 * the node refuses, HttpRequestError or TimeoutError if it gives no answer.
 */
export function createBatchedRpc(options: {
  url: string;
  timeoutMs: number;
  health: EndpointHealth;
}): (call: RpcCall) => Promise<unknown> {
  const { timeoutMs, health } = options;
  const { url, headers } = splitCredentials(options.url);
  let waiting: Waiting[] = [];

  const flush = () => {
    const isLarge = ({ call }: Waiting) => largeMethods.has(call.method);
    const small = waiting.filter((one) => !isLarge(one));
    for (const large of waiting.filter(isLarge)) void send([large]);
    for (let at = 0; at < small.length; at += batchSize) void send(small.slice(at, at + batchSize));
    waiting = [];
  };
  const send = async (batch: readonly Waiting[]) => {
    const body = batch.map(({ call }, id) => ({ jsonrpc: '2.0', id, ...call }));
    try {
      const answers = await ask(body);
      for (const [id, { call, resolve, reject }] of batch.entries()) {
        const answer = answers.get(id);
        if (answer?.error) reject(new RpcRequestError({ body: call, error: answer.error, url }));
        else if (answer?.result !== undefined) resolve(answer.result);
        else reject(new HttpRequestError({ body: call, url, details: 'the node did not answer the call' }));
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  const ask = async (body: Record<string, unknown>[]) => {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    try {
      const { status, retryAfter, text } = await post(JSON.stringify(body), timeout.signal);
      const answers = status >= 200 && status < 300 ? findAnswers(text, body.length) : undefined;
      if (status === 429) health.noteLimit(readRetryAfter(retryAfter, Date.now()));
      else if (answers) health.noteAnswer();
      else health.noteFailure();
      if (!answers) throw new HttpRequestError({ body, url, status, details: text.slice(0, mostDetails) });
      return answers;
    } catch (cause) {
      if (cause instanceof HttpRequestError) throw cause;
      if (timeout.signal.aborted) throw new TimeoutError({ body, url });
      throw new HttpRequestError({ body, url, cause: cause instanceof Error ? cause : undefined });
    } finally {
      clearTimeout(timer);
    }
  };
  /** Reads an answer to its end; an answer that never ends is a failure. */
  const post = async (body: string, signal: AbortSignal) => {
    try {
      const response = await request(url, { method: 'POST', headers, body, signal, dispatcher: agent });
      const retryAfter = response.headers['retry-after'];
      const text = await response.body.text();
      return { status: response.statusCode, retryAfter: String(retryAfter ?? ''), text };
    } catch (error) {
      health.noteFailure();
      throw error;
    }
  };

  return (call) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ call, resolve, reject }) === 1) setImmediate(flush);
    });
}

/**
 * Answers by the calls' ids. An answer to the whole batch, for example a refusal of batches, applies to each
 * call. Undefined if it answers no call at all, such as the page of a gateway.
 */
function findAnswers(text: string, count: number) {
  const said = parseJson(text);
  const each = Array.isArray(said)
    ? said
    : Array.from({ length: count }, (_, id) => ({ ...(typeof said === 'object' ? said : {}), id }));
  const answers = answersShape.safeParse(each).data;
  if (!answers?.some(({ result, error }) => result !== undefined || error)) return undefined;
  return new Map(answers.map((answer) => [answer.id, answer]));
}

/** Milliseconds from a `Retry-After`, given in seconds or as a date; undefined if it is unusable. */
export function readRetryAfter(text: string, nowMs: number): number | undefined {
  if (text.trim() === '') return undefined;
  const waitMs = /^\s*\d+\s*$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined;
}

/** A user and password in a URL move to a header. */
function splitCredentials(text: string): { url: string; headers: Record<string, string> } {
  const url = new URL(text);
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  if (!url.username) return { url: url.toString(), headers };
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return { url: url.toString(), headers: { ...headers, authorization } };
}

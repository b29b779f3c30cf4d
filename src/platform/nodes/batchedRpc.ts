import { Agent, interceptors, request } from 'undici';
import { BaseError, HttpRequestError, RpcRequestError, TimeoutError } from 'viem';
import { z } from 'zod';
import { parseJson } from '../errors/parseJson.ts';
import { AnswerTooLongError } from './answerTooLongError.ts';
import type { EndpointHealth } from './endpointHealth.ts';

/** A call in the form for nodes: its parameters hold no bigint. */
export type RpcCall = { readonly method: string; readonly params?: unknown };

type Waiting = { readonly call: RpcCall; resolve(answer: unknown): void; reject(error: unknown): void };

/** Calls per HTTP request; public endpoints refuse long batches. */
const batchSize = 20;
/** Characters of the calls in one HTTP request. Nodes read 5 MB at once, some gateways only 1 MB. A raw transaction may have half a megabyte. */
const mostRequestLength = 512 * 1024;
const mostDetails = 300;
const mostAnswerBytes = 10 * 1024 * 1024;
/** A contract decides how long it runs, and how much it says. */
const contractMethods: ReadonlySet<string> = new Set(['eth_call', 'eth_estimateGas', 'linea_estimateGas']);
/** Anybody can make them long. Several of them in one answer could exceed the limit. */
export const blockMethods: ReadonlySet<string> = new Set(['eth_getBlockByHash', 'eth_getBlockReceipts']);
/** A contract decides how long it is, but it is seldom long: it gets its own request only after an answer that was too long. */
const receiptMethod = 'eth_getTransactionReceipt';
/** Every node's answer has this in its first characters. */
const answerHead = /^[\s[]*\{[\s\S]{0,200}"(?:jsonrpc|id|error|result)"/;
/** The code of nodes for a call that reverts. */
const revertCode = 3;

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
const agent = new Agent().compose(interceptors.redirect({ maxRedirections: 5 }));

/**
 * Asks one endpoint. Calls made in one turn of the event loop share one HTTP request, if they are not too many or too long
 * for one; each gets its own answer. Calls of contracts and for whole blocks get their own request. Each request is noted once in `health`, however
 * many calls it holds. The returned function throws the errors of viem's own transport: RpcRequestError if
 * the node refuses, HttpRequestError or TimeoutError if it gives no answer. AnswerTooLongError for a block or receipt that is too
 * long, which is not noted: only other endpoints' answers tell whether it is a failure. A call whose revert is too long
 * counts as refused.
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
    // Nobody's call waits for another's contract.
    const isLone = ({ call: { method } }: Waiting) => contractMethods.has(method) || blockMethods.has(method);
    const shared = waiting.filter((one) => !isLone(one));
    for (const lone of waiting.filter(isLone)) void send([lone]);
    for (const batch of cutBatches(shared)) void send(batch);
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
      const isCut = error instanceof AnswerTooLongError && batch.length > 1;
      // The other calls of the request are answered without the receipt.
      if (isCut) for (const one of batch) void send([one]);
      else for (const { reject } of batch) reject(error);
    }
  };
  const ask = async (body: Record<string, unknown>[]) => {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    try {
      const { status, retryAfter, text, isTooLong } = await post(JSON.stringify(body), timeout.signal);
      if (isTooLong) throw refuseLength(body, { status, text });
      const answers = status >= 200 && status < 300 ? findAnswers(text, body.length) : undefined;
      if (status === 429) health.noteLimit(readRetryAfter(retryAfter, Date.now()));
      else if (answers) health.noteAnswer();
      else health.noteFailure();
      if (!answers) throw new HttpRequestError({ body, url, status, details: text.slice(0, mostDetails) });
      return answers;
    } catch (cause) {
      if (cause instanceof BaseError) throw cause;
      if (timeout.signal.aborted) throw new TimeoutError({ body, url });
      throw new HttpRequestError({ body, url, cause: cause instanceof Error ? cause : undefined });
    } finally {
      clearTimeout(timer);
    }
  };
  /**
   * The error for an answer over the limit, which says nothing about the endpoint if anybody can make it so long. No call
   * of this service returns much, so only a contract's revert can be long.
   */
  const refuseLength = (
    body: Record<string, unknown>[],
    { status, text }: { status: number; text: string },
  ) => {
    const [call] = body;
    const method = String(call?.method);
    const isAnswer = status === 200 && answerHead.test(text.slice(0, mostDetails));
    if (call && isAnswer && contractMethods.has(method)) {
      health.noteAnswer();
      const error = { code: revertCode, message: 'execution reverted with too much data' };
      return new RpcRequestError({ body: call, error, url });
    }
    if (isAnswer && (blockMethods.has(method) || body.some((one) => one.method === receiptMethod)))
      return new AnswerTooLongError();
    health.noteFailure();
    return new HttpRequestError({ body, url, status, details: 'the answer is too long' });
  };
  const post = async (body: string, signal: AbortSignal) => {
    try {
      const response = await request(url, { method: 'POST', headers, body, signal, dispatcher: agent });
      const retryAfter = response.headers['retry-after'];
      const answer = await readAnswer(response.body);
      return { status: response.statusCode, retryAfter: String(retryAfter ?? ''), ...answer };
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

/** In order. A call that is longer than a request should be goes alone. */
function cutBatches(calls: readonly Waiting[]): Waiting[][] {
  const batches: Waiting[][] = [];
  let batch: Waiting[] = [];
  let length = 0;
  for (const one of calls) {
    const { length: added } = JSON.stringify(one.call);
    if (batches.length === 0 || batch.length === batchSize || length + added > mostRequestLength) {
      batch = [];
      length = 0;
      batches.push(batch);
    }
    batch.push(one);
    length += added;
  }
  return batches;
}

/** The text of an answer, or its beginning if it exceeds the limit. */
async function readAnswer(body: AsyncIterable<Uint8Array>): Promise<{ text: string; isTooLong: boolean }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > mostAnswerBytes) break;
  }
  const isTooLong = bytes > mostAnswerBytes;
  return { text: Buffer.concat(isTooLong ? chunks.slice(0, 1) : chunks).toString('utf8'), isTooLong };
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

import { z } from 'zod';
import { parseJson } from '../../platform/errors/parseJson.ts';
import { splitPair } from './splitPair.ts';

/** After this status Ponder pauses a node, for some seconds at most, and uses another. */
const tooManyRequests = 429;

const logsOfRange = /"method":"eth_getLogs".*"toBlock":"(0x[0-9a-f]+)"/i;
const requestShape = z.object({ id: z.unknown() });
const answerShape = z.looseObject({ id: z.unknown() });
const batchShape = z.array(answerShape);
/** Statuses for a body of a wrong form. */
const refusesBatches = [400, 405, 413, 415];
/** One JSON-RPC object in answer to both questions. */
const refusalShape = z.object({ error: z.unknown() });
const blockShape = z.object({ result: z.object({ number: z.string() }) });
/** Ponder counts its requests from 1. */
const blockId = 0;
/** After so many answers in a row that are no JSON-RPC, a node is asked in turn once. */
const mostUnread = 3;
/** Within so many characters of its beginning or its end, an answer has its id. */
const endLength = 40;
const headers = { 'content-type': 'application/json' };

type Range = { readonly input: Request; readonly body: string; readonly toBlock: string };

/**
 * A node that lacks the last blocks of a range may answer with the logs of the others, or with none. Ponder would store
 * the range as complete, for every later index too. So each request for a range also asks for its last block. If the
 * node lacks that block, Ponder asks another node, or the same one later. Both questions are one batch, so that one
 * node behind a balancer answers them; the block comes first, because a node may get it in between. A node that takes
 * no batches is asked twice.
 */
export function refuseLogsOfMissingBlocks(): void {
  const fetchUrl = globalThis.fetch;
  const withoutBatches = new Set<string>();
  const unread = new Map<string, number>();
  globalThis.fetch = async (input, init) => {
    const body = input instanceof Request ? await input.clone().text() : '';
    const [, toBlock] = logsOfRange.exec(body) ?? [];
    if (!(input instanceof Request) || toBlock === undefined) return fetchUrl(input, init);
    const range = { input, body, toBlock };
    if (withoutBatches.has(input.url)) return askInTurn(range, fetchUrl);
    const answer = await askTogether(range, fetchUrl);
    if (answer instanceof Response) {
      unread.delete(input.url);
      return answer;
    }
    if (answer === 'takes no batches') withoutBatches.add(input.url);
    else {
      const failures = (unread.get(input.url) ?? 0) + 1;
      unread.set(input.url, failures);
      if (failures < mostUnread) return passOver();
    }
    return askInTurn(range, fetchUrl);
  };
}

/** `unread` for an answer that says nothing about batches, as of a balancer without a node: it may pass. */
async function askTogether(
  { input, body, toBlock }: Range,
  fetchUrl: typeof fetch,
): Promise<Response | 'takes no batches' | 'unread'> {
  const response = await post({ input, body: `[${buildBlockRequest(toBlock)},${body}]` }, fetchUrl);
  if (response.status === tooManyRequests) return response;
  const { id } = requestShape.parse(JSON.parse(body));
  const text = await response.text();
  // The usual answer is the block and then the logs, which may be many, and are passed on as they are.
  const [first = '', second = ''] = (response.ok && splitPair(text)) || [];
  const head = answerShape.safeParse(parseJson(first)).data;
  if (head?.id === blockId && hasId(second, id))
    return isBlock(head, toBlock) ? new Response(second, { headers }) : passOver();
  const content = parseJson(text);
  if (refusesBatches.includes(response.status) || refusalShape.safeParse(content).success)
    return 'takes no batches';
  const batch = batchShape.safeParse(content).data ?? [];
  const block = batch.find((answer) => answer.id === blockId);
  const logs = batch.find((answer) => answer.id === id);
  if (!block || !logs) return 'unread';
  return isBlock(block, toBlock) ? Response.json(logs) : passOver();
}

/** Whether the text of an answer has this id near its beginning or its end, where most nodes write it. */
function hasId(text: string, id: unknown): boolean {
  const ends = `${text.slice(0, endLength)} ${text.slice(-endLength)}`;
  return new RegExp(`"id"\\s*:\\s*${Number(id)}[\\s,}]`).test(ends);
}

async function askInTurn({ input, body, toBlock }: Range, fetchUrl: typeof fetch): Promise<Response> {
  const response = await post({ input, body: buildBlockRequest(toBlock) }, fetchUrl);
  const block: unknown = await response.json().catch(() => undefined);
  return isBlock(block, toBlock) ? post({ input, body }, fetchUrl) : passOver();
}

function post({ input, body }: { input: Request; body: string }, fetchUrl: typeof fetch): Promise<Response> {
  return fetchUrl(new Request(input, { body }));
}

function buildBlockRequest(number: string): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id: blockId,
    method: 'eth_getBlockByNumber',
    params: [number, false],
  });
}

function isBlock(answer: unknown, number: string): boolean {
  const block = blockShape.safeParse(answer).data;
  return block !== undefined && Number(block.result.number) === Number(number);
}

function passOver(): Response {
  const error = { code: -32_001, message: 'this node lacks the last block of the range' };
  return Response.json({ jsonrpc: '2.0', error }, { status: tooManyRequests });
}

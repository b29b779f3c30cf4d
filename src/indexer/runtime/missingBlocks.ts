import { z } from 'zod';

/** After this status Ponder pauses a node, for some seconds at most, and uses another. */
const tooManyRequests = 429;

const logsOfRange = /"method":"eth_getLogs".*"toBlock":"(0x[0-9a-f]+)"/i;
const requestShape = z.object({ id: z.unknown() });
const answerShape = z.looseObject({ id: z.unknown() });
const batchShape = z.array(answerShape);
const blockShape = z.object({ result: z.object({ number: z.string() }) });
/** Ponder counts its requests from 1. */
const blockId = 0;

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
  globalThis.fetch = async (input, init) => {
    const body = input instanceof Request ? await input.clone().text() : '';
    const [, toBlock] = logsOfRange.exec(body) ?? [];
    if (!(input instanceof Request) || toBlock === undefined) return fetchUrl(input, init);
    const range = { input, body, toBlock };
    if (!withoutBatches.has(input.url)) {
      const answer = await askTogether(range, fetchUrl);
      if (answer) return answer;
    }
    const answer = await askInTurn(range, fetchUrl);
    if (answer.ok) withoutBatches.add(input.url);
    return answer;
  };
}

/** Nothing if the answer is not one to a batch. */
async function askTogether(
  { input, body, toBlock }: Range,
  fetchUrl: typeof fetch,
): Promise<Response | undefined> {
  const response = await post({ input, body: `[${buildBlockRequest(toBlock)},${body}]` }, fetchUrl);
  if (response.status === tooManyRequests) return response;
  const answers = batchShape.safeParse(await response.json().catch(() => undefined)).data ?? [];
  const { id } = requestShape.parse(JSON.parse(body));
  const block = answers.find((answer) => answer.id === blockId);
  const logs = answers.find((answer) => answer.id === id);
  if (!block || !logs) return undefined;
  return isBlock(block, toBlock) ? Response.json(logs) : passOver();
}

async function askInTurn({ input, body, toBlock }: Range, fetchUrl: typeof fetch): Promise<Response> {
  const response = await post({ input, body: buildBlockRequest(toBlock) }, fetchUrl);
  const block: unknown = await response.json().catch(() => undefined);
  return isBlock(block, toBlock) ? post({ input, body }, fetchUrl) : passOver();
}

function post({ input, body }: { input: Request; body: string }, fetchUrl: typeof fetch): Promise<Response> {
  const { url, headers, signal } = input;
  return fetchUrl(url, { method: 'POST', headers, body, signal });
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

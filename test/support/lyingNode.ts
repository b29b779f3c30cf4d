import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { type LocalServer, listenLocally } from './listenLocally.ts';

/**
 * The lie of an endpoint. `twoForks`: heads, blocks by number and logs come from a second node, blocks by
 * hash from the first. `nullReceipts`: receipts are not there yet. `behind`: all answers are ten blocks
 * behind. `absurdHead`: it claims a head a million blocks ahead. `silent`: connections open, but no answer
 * comes. `unordered`: every other answer about the newest block comes late, after the answers to later
 * requests. `balanced`: every other answer about the newest block comes from a node that is two blocks
 * behind. `shortLogs`: requests for logs go to a node that is forty blocks behind, and has the logs of its own blocks.
 */
export type Lie =
  | 'twoForks'
  | 'nullReceipts'
  | 'behind'
  | 'absurdHead'
  | 'silent'
  | 'unordered'
  | 'balanced'
  | 'shortLogs';

export type LyingNode = LocalServer & {
  /** Changes the lie; undefined makes it tell the truth. */
  tell(lie: Lie | undefined): void;
  /** Sets the node of the second fork. */
  forkTo(second: string): void;
  /** Number of requests for blocks by hash that the first fork does not have. */
  countUnknown(): number;
  /** Number of ranges of logs that the node behind did not have to their end. */
  countShort(): number;
};

const behindBlocks = 10n;
const absurdBlocks = 1_000_000n;
const balancedBlocks = 2n;
const shortBlocks = 40n;
/** Longer than the indexer waits between two requests to a local node. */
const unorderedMs = 500;
const hex = z.string().regex(/^0x[0-9a-f]+$/i);
const callShape = z.looseObject({
  id: z.unknown(),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
});
type Call = z.output<typeof callShape>;
const blockShape = z.looseObject({ number: hex });
const rangeShape = z.looseObject({ fromBlock: hex, toBlock: hex });
const answerShape = z.looseObject({ result: z.unknown().optional() });
type Answer = z.output<typeof answerShape>;

const byFork = new Set(['eth_blockNumber', 'eth_getBlockByNumber', 'eth_getLogs']);
/** Calls that name a block, and the position of the block parameter. */
const tagAt: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getBlockByNumber: 0,
};

function isAboutNewest({ method, params }: Call): boolean {
  return method === 'eth_blockNumber' || (method === 'eth_getBlockByNumber' && params[0] === 'latest');
}

/** An endpoint over a real node. It tells the truth until it is told to lie. */
export async function createLyingNode(
  first: string,
  options: { second?: string; answerAfterMs?: number } = {},
): Promise<LyingNode> {
  let { second } = options;
  const { answerAfterMs = 0 } = options;
  let lie: Lie | undefined;
  let unknown = 0;
  let askedNewest = 0;
  let short = 0;
  const unanswered = new Set<ServerResponse>();

  const ask = async (url: string, call: Call): Promise<Answer> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(call) });
    return answerShape.parse(await response.json());
  };
  const readHead = async () =>
    BigInt(
      hex.parse((await ask(first, { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })).result),
    );
  /** The number of a block that is named by number or by hash; undefined for `latest` and its like. */
  const findNumber = async (block: unknown): Promise<bigint | undefined> => {
    const number = hex.safeParse(block);
    if (number.success) return BigInt(number.data);
    const byHash = z.object({ blockHash: hex }).safeParse(block);
    if (!byHash.success) return undefined;
    const params = [byHash.data.blockHash, false];
    const found = await ask(first, { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByHash', params });
    const parsed = blockShape.safeParse(found.result);
    return parsed.success ? BigInt(parsed.data.number) : undefined;
  };
  const isAbove = (answer: Answer, head: bigint) => {
    const block = z.looseObject({ blockNumber: hex }).safeParse(answer.result);
    return block.success && BigInt(block.data.blockNumber) > head;
  };

  const answerBehind = async (call: Call, blocks = behindBlocks): Promise<Answer> => {
    const newest = await readHead();
    const head = newest > blocks ? newest - blocks : 0n;
    const toHex = `0x${head.toString(16)}`;
    const { id, method, params } = call;
    const nothing = { jsonrpc: '2.0', id, result: null };
    if (method === 'eth_blockNumber') return { ...nothing, result: toHex };
    const range = rangeShape.safeParse(params[0]).data;
    if (method === 'eth_getLogs' && range && BigInt(range.toBlock) > head) {
      short++;
      if (BigInt(range.fromBlock) > head) return { ...nothing, result: [] };
      return ask(first, { ...call, params: [{ ...range, toBlock: toHex }] });
    }
    const at = tagAt[method];
    if (at !== undefined) {
      const named = await findNumber(params[at]);
      if (named !== undefined && named > head) {
        if (method === 'eth_getBlockByNumber') return nothing;
        return { jsonrpc: '2.0', id, error: { code: -32_000, message: 'header not found' } };
      }
      const put = [...params.slice(0, at), named === undefined ? toHex : params[at], ...params.slice(at + 1)];
      return ask(first, { ...call, params: put });
    }
    const answer = await ask(first, call);
    if (method === 'eth_getBlockByHash') {
      const block = blockShape.safeParse(answer.result);
      if (block.success && BigInt(block.data.number) > head) return nothing;
    }
    return method === 'eth_getTransactionReceipt' && isAbove(answer, head) ? nothing : answer;
  };
  const answerAbsurdly = async (call: Call): Promise<Answer> => {
    const answer = await ask(first, call);
    const raise = (number: string) => `0x${(BigInt(number) + absurdBlocks).toString(16)}`;
    if (call.method === 'eth_blockNumber') return { ...answer, result: raise(hex.parse(answer.result)) };
    if (call.method !== 'eth_getBlockByNumber' || call.params[0] !== 'latest') return answer;
    const block = blockShape.parse(answer.result);
    return { ...answer, result: { ...block, number: raise(block.number) } };
  };
  const answer = async (call: Call): Promise<Answer> => {
    if (lie === 'behind') return answerBehind(call);
    if (lie === 'absurdHead') return answerAbsurdly(call);
    const isEveryOther = isAboutNewest(call) && askedNewest++ % 2 === 1;
    if (lie === 'balanced' && isEveryOther) return answerBehind(call, balancedBlocks);
    if (lie === 'unordered' && isEveryOther) {
      const early = await ask(first, call);
      await delay(unorderedMs);
      return early;
    }
    if (lie === 'nullReceipts' && call.method === 'eth_getTransactionReceipt')
      return { jsonrpc: '2.0', id: call.id, result: null };
    const isForked = lie === 'twoForks' && second !== undefined && byFork.has(call.method);
    const said = await ask(isForked && second ? second : first, call);
    if (call.method === 'eth_getBlockByHash' && said.result === null) unknown++;
    return said;
  };

  const server = createServer(async (request, response) => {
    try {
      const body: unknown = JSON.parse(await text(request));
      if (lie === 'silent') {
        unanswered.add(response);
        return;
      }
      const calls = z.array(callShape).parse(Array.isArray(body) ? body : [body]);
      const answers: Answer[] = [];
      const isShort = lie === 'shortLogs' && calls.some(({ method }) => method === 'eth_getLogs');
      for (const call of calls)
        answers.push(await (isShort ? answerBehind(call, shortBlocks) : answer(call)));
      await delay(answerAfterMs);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
    } catch {
      response.destroy();
    }
  });
  const local = await listenLocally(server);
  return {
    ...local,
    tell(next) {
      lie = next;
      // Cuts half-open connections, as a balancer does eventually.
      for (const response of unanswered) response.destroy();
      unanswered.clear();
    },
    forkTo(url) {
      second = url;
    },
    countUnknown: () => unknown,
    countShort: () => short,
  };
}

import { groupBy } from '../../../../src/protocol/groupBy.ts';
import { CliError, exitCodes } from '../cliError.ts';

const timeoutMs = 10_000;
const callsPerRequest = 20;

type BlockHash = { readonly number: number; readonly hash: `0x${string}` };

export type HashQuery = {
  readonly urls: readonly string[];
  /** How many nodes must report the same hash. */
  readonly quorum: number;
  readonly chainId: number;
  /** The blocks of the file, with the hashes that it names. */
  readonly blocks: readonly BlockHash[];
  /** Ends all requests: what has not answered then does not count. */
  readonly signal: AbortSignal;
};

export type HashAnswer = {
  /** The hashes on which enough nodes agree, by block number. They may differ from those of the file. */
  readonly confirmed: ReadonlyMap<number, `0x${string}`>;
  /** Each answer that differs from the file, with the node's host: the rest of its URL may be a secret. */
  readonly dissent: readonly (BlockHash & { readonly node: string })[];
};

/**
 * Asks several nodes for block hashes.
 *
 * @throws CliError if fewer nodes than the quorum answer for this chain, or if two hashes of one block reach the
 * quorum.
 */
export async function askBlockHashes(query: HashQuery): Promise<HashAnswer> {
  const { urls, quorum, chainId, blocks, signal } = query;
  const nodes = [...new Set(urls.map(readNode))];
  if (nodes.length < quorum)
    throw new CliError(`--quorum ${quorum} needs at least ${quorum} different nodes in --rpc.`);
  const numbers = blocks.map(({ number }) => number);
  const asked = await Promise.allSettled(
    nodes.map(async (node) => ({ node, hashes: await askNode(node, { chainId, numbers, signal }) })),
  );
  const answers = asked.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  if (answers.length < quorum) {
    const others = asked.flatMap((answer) =>
      answer.status === 'rejected' && answer.reason instanceof OtherChainError
        ? [` ${answer.reason.message}`]
        : [],
    );
    throw new CliError(
      `Only ${answers.length} of ${nodes.length} nodes answered for chain ${chainId}.${others.join('')}`,
      exitCodes.unreachable,
    );
  }
  const confirmed = new Map<number, `0x${string}`>();
  for (const number of numbers) {
    const votes = groupBy(
      answers.flatMap(({ hashes }) => hashes.get(number) ?? []),
      (hash) => hash,
    );
    const agreed = [...votes].filter(([, voters]) => voters.length >= quorum).map(([hash]) => hash);
    if (agreed.length > 1)
      throw new CliError(
        `The nodes contradict each other on block ${number}: --quorum ${quorum} is reached by ${agreed.join(' and ')}.`,
        exitCodes.refused,
      );
    for (const hash of agreed) confirmed.set(number, hash);
  }
  const dissent = answers.flatMap(({ node, hashes }) =>
    blocks.flatMap(({ number, hash }) => {
      const named = hashes.get(number);
      return named === undefined || named === hash ? [] : [{ node: new URL(node).host, number, hash: named }];
    }),
  );
  return { confirmed, dissent };
}

class OtherChainError extends Error {}

/** One spelling of a node's URL, so that no node counts twice. @throws CliError for anything but a URL. */
function readNode(text: string): string {
  if (!URL.canParse(text)) throw new CliError('--rpc takes URLs, separated by commas.');
  const url = new URL(text);
  url.hash = '';
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url.href;
}

async function askNode(
  url: string,
  { chainId, numbers, signal }: { chainId: number; numbers: readonly number[]; signal: AbortSignal },
): Promise<Map<number, `0x${string}`>> {
  const [own] = await call(url, [{ method: 'eth_chainId', params: [] }], signal);
  if (typeof own !== 'string' || !/^0x[0-9a-f]{1,13}$/i.test(own)) throw new Error('no chain id');
  if (Number(own) !== chainId)
    throw new OtherChainError(`${new URL(url).host} is a node of chain ${Number(own)}.`);
  const found = new Map<number, `0x${string}`>();
  for (let at = 0; at < numbers.length; at += callsPerRequest) {
    const some = numbers.slice(at, at + callsPerRequest);
    const calls = some.map((number) => ({
      method: 'eth_getBlockByNumber',
      params: [`0x${number.toString(16)}`, false],
    }));
    for (const [index, block] of (await call(url, calls, signal)).entries()) {
      const number = some[index];
      const hash = typeof block === 'object' && block !== null && 'hash' in block ? block.hash : undefined;
      if (number !== undefined && typeof hash === 'string' && /^0x[0-9a-fA-F]{64}$/.test(hash))
        found.set(number, `0x${hash.slice(2).toLowerCase()}`);
    }
  }
  return found;
}

/** The results in the order of the calls. */
async function call(
  url: string,
  calls: readonly { method: string; params: unknown[] }[],
  signal: AbortSignal,
): Promise<unknown[]> {
  const body = calls.map((one, id) => ({ jsonrpc: '2.0', id, ...one }));
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  const answers: unknown = await response.json();
  if (!Array.isArray(answers)) throw new Error('no batch');
  const byId = new Map(
    answers.flatMap((answer: unknown) =>
      typeof answer === 'object' && answer !== null && 'id' in answer && 'result' in answer
        ? [[answer.id, answer.result] as const]
        : [],
    ),
  );
  return calls.map((_, id) => byId.get(id));
}

import { groupBy } from '../../../../src/protocol/groupBy.ts';
import { CliError, exitCodes } from '../cliError.ts';

const timeoutMs = 10_000;
const callsPerRequest = 20;

export type HashQuery = {
  readonly urls: readonly string[];
  /** How many nodes must report the same hash. */
  readonly quorum: number;
  readonly chainId: number;
  readonly numbers: readonly number[];
};

/**
 * Asks several nodes for block hashes. Returns only those on which enough nodes agree.
 *
 * @throws CliError if fewer nodes than the quorum answer for this chain.
 */
export async function askBlockHashes(query: HashQuery): Promise<Map<number, `0x${string}`>> {
  const { urls, quorum, chainId, numbers } = query;
  const distinct = [...new Set(urls)];
  if (distinct.length < quorum)
    throw new CliError(`--quorum ${quorum} needs as many different nodes in --rpc.`);
  const asked = await Promise.allSettled(distinct.map((url) => askNode(url, chainId, numbers)));
  const answers = asked.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  if (answers.length < quorum)
    throw new CliError(
      `Only ${answers.length} of ${distinct.length} nodes answered for chain ${chainId}.`,
      exitCodes.unreachable,
    );
  const confirmed = new Map<number, `0x${string}`>();
  for (const number of numbers) {
    const votes = groupBy(
      answers.flatMap((answer) => answer.get(number) ?? []),
      (hash) => hash,
    );
    for (const [hash, voters] of votes) if (voters.length >= quorum) confirmed.set(number, hash);
  }
  return confirmed;
}

async function askNode(
  url: string,
  chainId: number,
  numbers: readonly number[],
): Promise<Map<number, `0x${string}`>> {
  const [own] = await call(url, [{ method: 'eth_chainId', params: [] }]);
  if (typeof own !== 'string' || Number(own) !== chainId) throw new Error('another chain');
  const found = new Map<number, `0x${string}`>();
  for (let at = 0; at < numbers.length; at += callsPerRequest) {
    const some = numbers.slice(at, at + callsPerRequest);
    const calls = some.map((number) => ({
      method: 'eth_getBlockByNumber',
      params: [`0x${number.toString(16)}`, false],
    }));
    for (const [index, block] of (await call(url, calls)).entries()) {
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
): Promise<unknown[]> {
  const body = calls.map((one, id) => ({ jsonrpc: '2.0', id, ...one }));
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
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

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { BaseError, createPublicClient, http } from 'viem';
import { z } from 'zod';
import { ConfigurationError } from '../../platform/config/configurationError.ts';
import { parseJson } from '../../platform/errors/parseJson.ts';
import type { AnvilFork } from '../devtools/anvil.ts';
import type { DevDirectory } from './devDirectory.ts';
import type { Fork } from './forks.ts';

const requestTimeoutMs = 15_000;
const beginAnew = 'begin anew with --reset, or elsewhere with LOCAL_DIR';

/** The last copied block, by chain id. */
const originsShape = z.record(
  z.string(),
  z.object({
    blockNumber: z.int().nonnegative(),
    blockHash: z.templateLiteral(['0x', z.string()]),
  }),
);
type Origins = z.output<typeof originsShape>;

/**
 * The fork blocks of public chains, by chain id: the current heads if the directory is new, and the same
 * blocks at every later start, so that the chains continue where they stopped.
 *
 * @throws ConfigurationError if the data of the directory belong to other chains or do not say to which, a node does not serve
 * its chain, or it serves another chain of the same id than the one that was left.
 */
export async function openForkOrigins(
  directory: DevDirectory,
  forks: readonly Fork[],
): Promise<ReadonlyMap<number, AnvilFork>> {
  const known = findOrigins(directory);
  const wanted = forks.map(({ chain }) => String(chain.chainId)).sort();
  if (known && String(Object.keys(known).sort()) !== String(wanted)) {
    throw new ConfigurationError([
      `${directory.root} holds ${describe(Object.keys(known))}, and ${describe(wanted)} would not continue them: ` +
        beginAnew,
    ]);
  }
  const origins = await readOrigins(forks, known);
  if (!known) {
    mkdirSync(directory.root, { recursive: true });
    writeFileSync(directory.forksFile, `${JSON.stringify(origins)}\n`);
  }
  const points = forks.flatMap(({ chain: { chainId }, url }): [number, AnvilFork][] => {
    const origin = origins[chainId];
    return origin === undefined ? [] : [[chainId, { url, blockNumber: origin.blockNumber }]];
  });
  return new Map(points);
}

/** Null for a directory without chains; chains without this file are local from their first block. */
function findOrigins({ chains, forksFile }: DevDirectory): Origins | null {
  if (!existsSync(chains)) return null;
  if (!existsSync(forksFile)) return {};
  const parsed = originsShape.safeParse(parseJson(readFileSync(forksFile, 'utf8')));
  if (parsed.success) return parsed.data;
  throw new ConfigurationError([
    `${forksFile} is damaged, so that its forks cannot be continued: ${beginAnew}`,
  ]);
}

/** Asks each node for its chain's fork block, or for the current head if there is none yet. */
async function readOrigins(forks: readonly Fork[], known: Origins | null): Promise<Origins> {
  const problems: string[] = [];
  const origins: Origins = {};
  await Promise.all(
    forks.map(async (fork) => {
      const { chainId, factory } = fork.chain;
      const left = known?.[chainId];
      const node = await readNode(fork, left?.blockNumber).catch((error: unknown) => {
        const why = error instanceof BaseError ? `: ${error.shortMessage}` : '';
        problems.push(
          `--fork ${chainId}: the node at ${new URL(fork.url).host} does not answer as it should${why}`,
        );
      });
      if (!node) return;
      const { block } = node;
      if (node.chainId !== chainId)
        problems.push(`--fork ${chainId}: that node serves the chain ${node.chainId}`);
      else if (!node.factoryCode)
        problems.push(`--fork ${chainId}: there is no factory at ${factory} on that chain`);
      else if (left && left.blockHash !== block.hash)
        problems.push(
          `--fork ${chainId}: the block ${block.number} of that node is not the one that is continued here: ${beginAnew}`,
        );
      origins[chainId] = { blockNumber: Number(block.number), blockHash: block.hash };
    }),
  );
  if (problems.length > 0) throw new ConfigurationError(problems);
  return origins;
}

async function readNode({ chain, url }: Fork, blockNumber: number | undefined) {
  const client = createPublicClient({ transport: http(url, { timeout: requestTimeoutMs, retryCount: 1 }) });
  const [chainId, block, factoryCode] = await Promise.all([
    client.getChainId(),
    client.getBlock(blockNumber === undefined ? {} : { blockNumber: BigInt(blockNumber) }),
    client.getCode({ address: chain.factory }),
  ]);
  return { chainId, block, factoryCode };
}

function describe(ids: readonly string[]): string {
  return ids.length === 0 ? 'chains without a fork' : `forks of ${ids.join(' and ')}`;
}

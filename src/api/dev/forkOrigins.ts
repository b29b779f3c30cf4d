import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { BaseError, createPublicClient, http } from 'viem';
import { z } from 'zod';
import { ConfigurationError } from '../config/configurationError.ts';
import type { AnvilFork } from './anvil.ts';
import type { DevDirectory } from './devDirectory.ts';
import type { Fork } from './forks.ts';

const requestTimeoutMs = 15_000;

const originsShape = z.record(z.string(), z.int().nonnegative());
type Origins = Record<string, number>;

/**
 * Where the forks leave their public chains, by chain id: at the heads of now when the directory is new, and at the same blocks
 * at every later start, so that the chains go on where they stopped.
 *
 * @throws ConfigurationError where the data of the directory belong to other chains, or a node does not serve its chain.
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
        'begin anew with --reset, or elsewhere with LOCAL_DIR',
    ]);
  }
  const heads = await readHeads(forks);
  const origins = known ?? heads;
  if (!known) {
    mkdirSync(directory.root, { recursive: true });
    writeFileSync(directory.forksFile, `${JSON.stringify(origins)}\n`);
  }
  const points = forks.flatMap(({ chain: { chainId }, url }): [number, AnvilFork][] => {
    const blockNumber = origins[chainId];
    return blockNumber === undefined ? [] : [[chainId, { url, blockNumber }]];
  });
  return new Map(points);
}

/** Null for a directory without chains; chains without this file are local from their first block. */
function findOrigins({ chains, forksFile }: DevDirectory): Origins | null {
  if (!existsSync(chains)) return null;
  return existsSync(forksFile) ? originsShape.parse(JSON.parse(readFileSync(forksFile, 'utf8'))) : {};
}

async function readHeads(forks: readonly Fork[]): Promise<Origins> {
  const problems: string[] = [];
  const heads: Origins = {};
  await Promise.all(
    forks.map(async (fork) => {
      const { chainId, factory } = fork.chain;
      const node = await readNode(fork).catch((error: unknown) => {
        const why = error instanceof BaseError ? `: ${error.shortMessage}` : '';
        problems.push(
          `--fork ${chainId}: the node at ${new URL(fork.url).host} does not answer as it should${why}`,
        );
      });
      if (!node) return;
      if (node.chainId !== chainId)
        problems.push(`--fork ${chainId}: that node serves the chain ${node.chainId}`);
      else if (!node.factoryCode)
        problems.push(`--fork ${chainId}: there is no factory at ${factory} on that chain`);
      heads[chainId] = Number(node.head);
    }),
  );
  if (problems.length > 0) throw new ConfigurationError(problems);
  return heads;
}

async function readNode({ chain, url }: Fork) {
  const client = createPublicClient({ transport: http(url, { timeout: requestTimeoutMs, retryCount: 1 }) });
  const [chainId, head, factoryCode] = await Promise.all([
    client.getChainId(),
    client.getBlockNumber({ cacheTime: 0 }),
    client.getCode({ address: chain.factory }),
  ]);
  return { chainId, head, factoryCode };
}

function describe(ids: readonly string[]): string {
  return ids.length === 0 ? 'chains without a fork' : `forks of ${ids.join(' and ')}`;
}

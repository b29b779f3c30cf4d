import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { createPublicClient, http } from 'viem';
import { findProgram } from '../../src/cli/build/builtPrograms.ts';
import { findFreePort } from '../../src/cli/devtools/freePort.ts';
import { inheritedEnvironment } from './inheritedEnvironment.ts';
import { patienceMs } from './patience.ts';
import { waitUntil } from './waitUntil.ts';

export type IndexerOptions = {
  databaseUrl: string;
  chains: readonly { chainId: number; rpcUrl: string }[];
  /** Extra variables, in addition to those derived from the other options. */
  env?: Readonly<Record<string, string>>;
};

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

export type Indexer = {
  /** The address of Ponder's own server. */
  url: string;
  pid: number;
  /** Its output so far, line by line. */
  lines: readonly string[];
  exited: Promise<Exit>;
  /** Resolves once the backfill is done; rejects with the output if the indexer ends earlier. */
  ready(): Promise<void>;
  /** Asks it to stop and returns how it ended. */
  stop(): Promise<Exit>;
  kill(): Promise<void>;
};

/** Starts the indexer like `npm run start:indexer`. The caller stops it. */
export async function startIndexer({ databaseUrl, chains, env = {} }: IndexerOptions): Promise<Indexer> {
  const port = await findFreePort();
  const urls = chains.map(({ chainId, rpcUrl }) => [`RPC_URL_${chainId}`, rpcUrl]);
  const child = spawn(process.execPath, [findProgram('indexer')], {
    env: {
      ...inheritedEnvironment(),
      DATABASE_URL: databaseUrl,
      CHAINS: chains.map(({ chainId }) => chainId).join(','),
      INDEXER_PORT: String(port),
      ...Object.fromEntries(urls),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => lines.push(line));
  }
  const exited = once(child, 'close').then(([code, signal]): Exit => ({ code, signal }));
  const url = `http://127.0.0.1:${port}`;
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    url,
    pid: child.pid ?? 0,
    lines,
    exited,
    async ready() {
      const isReady = async () => {
        if (hasEnded()) throw new Error(`the indexer ended:\n${lines.slice(-20).join('\n')}`);
        return fetch(`${url}/ready`).then(
          (response) => response.ok,
          () => false,
        );
      };
      await waitUntil('the indexer is ready', isReady, patienceMs);
    },
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Waits until the index has reached the latest block of each chain, without needing another block. */
export async function catchUp(
  databaseUrl: string,
  chains: readonly { chainId: number; rpcUrl: string }[],
): Promise<void> {
  await Promise.all(
    chains.map(async ({ chainId, rpcUrl }) => {
      const client = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 });
      const { hash } = await client.getBlock();
      await waitForHead(databaseUrl, chainId, hash);
    }),
  );
}

/** Waits until the index is exactly at this block. */
export async function waitForHead(databaseUrl: string, chainId: number, hash: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const isThere = async () => {
      const { rows } = await client
        .query(`select hash from chain_index.heads where chain_id = $1`, [chainId])
        .catch(() => ({ rows: [] }));
      return rows[0]?.hash === hash;
    };
    await waitUntil(`the index of chain ${chainId} stands at block ${hash}`, isThere, patienceMs);
  } finally {
    await client.end();
  }
}

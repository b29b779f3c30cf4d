import pg from 'pg';
import type { Logger } from 'pino';
import { createPublicClient, fallback, http } from 'viem';
import type { ChainConfiguration } from '../config/configuration.ts';
import { ConfigurationError } from '../config/configurationError.ts';
import { isLocalUrl } from './isLocalUrl.ts';
import { nameSessions, sessionName } from './sessions.ts';

export type ReplacedChainOptions = {
  databaseUrl: string;
  schema: string;
  chains: readonly ChainConfiguration[];
  rpcTimeoutMs: number;
  logger: Logger;
};

const lookIntervalMs = 5_000;

type Block = { number: bigint; hash: string | null };

/**
 * Blocks that Ponder takes for final are never looked at again, so the nodes have to have them still. A chain of this machine
 * that was started anew, or lost its last blocks in a crash, does not: then the index is dropped and made again, with
 * everything that was kept of the chain. On a public chain that must not happen by itself.
 *
 * @throws ConfigurationError where a public chain has another block than the one that was indexed.
 */
export async function forgetReplacedChains(options: ReplacedChainOptions): Promise<void> {
  const client = createClient(options);
  await client.connect();
  try {
    for (const chain of options.chains) {
      const conflict = await findConflict(client, chain, options);
      if (!conflict) continue;
      if (!chain.rpcUrls.every(isLocalUrl)) {
        throw new ConfigurationError([
          `RPC_URL_${chain.chainId}: block ${conflict.number} of ${chain.name} is not the one that was indexed ` +
            `(${conflict.hash}): the nodes are wrong, or the index in this database is that of another chain`,
        ]);
      }
      options.logger.warn(
        { chain: chain.name, ...conflict },
        'this chain is another one than before: indexing it anew',
      );
      await forget(client, chain.chainId, options.schema);
    }
  } finally {
    await client.end();
  }
}

/**
 * Looks every few seconds whether a local chain was replaced while it is being indexed, of which Ponder would complain for ten
 * minutes. A chain that does not answer is no concern of this.
 */
export function watchForReplacedChains(
  options: ReplacedChainOptions,
  onReplaced: (chain: string) => void,
): void {
  const localChains = options.chains.filter(({ rpcUrls }) => rpcUrls.every(isLocalUrl));
  if (localChains.length === 0) return;
  const look = async () => {
    const client = createClient(options);
    try {
      await client.connect();
      for (const chain of localChains) {
        if (await findConflict(client, chain, options)) onReplaced(chain.name);
      }
    } catch (error) {
      options.logger.debug({ err: error }, 'whether a chain was replaced cannot be told now');
    } finally {
      await client.end().catch(() => {});
      setTimeout(look, lookIntervalMs).unref();
    }
  };
  setTimeout(look, lookIntervalMs).unref();
}

/** A final block that the chain's nodes have not, or have otherwise. */
async function findConflict(
  client: pg.Client,
  chain: ChainConfiguration,
  { schema, rpcTimeoutMs }: ReplacedChainOptions,
): Promise<{ number: string; hash: string | null } | undefined> {
  const transport = fallback(chain.rpcUrls.map((url) => http(url, { timeout: rpcTimeoutMs })));
  const reader = createPublicClient({ transport });
  for (const { number, hash } of await readFinalBlocks(client, chain.chainId, schema)) {
    const actual = await reader.request({
      method: 'eth_getBlockByNumber',
      params: [`0x${number.toString(16)}`, false],
    });
    const isBehind = actual === null && !chain.rpcUrls.every(isLocalUrl);
    const isSame = actual !== null && (hash === null || actual.hash === hash);
    if (!isSame && !isBehind) return { number: String(number), hash };
  }
  return undefined;
}

/** The last block that Ponder keeps of the chain, and the last one that it has indexed for good: of that it knows no hash. */
async function readFinalBlocks(client: pg.Client, chainId: number, schema: string): Promise<Block[]> {
  const blocks: Block[] = [];
  if (await exists(client, 'ponder_sync.blocks')) {
    const { rows } = await client.query(
      'select number, hash from ponder_sync.blocks where chain_id = $1 order by number desc limit 1',
      [chainId],
    );
    blocks.push(...rows.map(({ number, hash }) => ({ number: BigInt(number), hash })));
  }
  const checkpoints = `${pg.escapeIdentifier(schema)}._ponder_checkpoint`;
  if (await exists(client, checkpoints)) {
    // A checkpoint begins with ten digits of time and sixteen of chain id; the block's number follows in sixteen.
    const { rows } = await client.query(
      `select substring(finalized_checkpoint from 27 for 16) as number from ${checkpoints} where chain_id = $1`,
      [chainId],
    );
    blocks.push(...rows.map(({ number }) => ({ number: BigInt(number), hash: null })));
  }
  return blocks;
}

async function forget(client: pg.Client, chainId: number, schema: string): Promise<void> {
  await client.query('begin');
  const { rows } = await client.query(
    `select table_name from information_schema.columns where table_schema = 'ponder_sync' and column_name = 'chain_id'`,
  );
  for (const { table_name } of rows) {
    await client.query(`delete from ponder_sync.${pg.escapeIdentifier(table_name)} where chain_id = $1`, [
      chainId,
    ]);
  }
  await client.query(`drop schema if exists ${pg.escapeIdentifier(schema)} cascade`);
  await client.query('commit');
}

async function exists(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query('select to_regclass($1) is not null as exists', [table]);
  return rows[0]?.exists === true;
}

function createClient({ databaseUrl, schema }: ReplacedChainOptions): pg.Client {
  return new pg.Client({ connectionString: nameSessions(databaseUrl, sessionName(schema, 'chains')) });
}

import pg from 'pg';
import type { Logger } from 'pino';
import { createPublicClient } from 'viem';
import type { ChainConfiguration } from '../../platform/config/configuration.ts';
import { buildTransport } from './buildTransport.ts';
import { forgetSync, type Generations, giveUpChain, noteServed } from './chainRebuilds.ts';
import { isLocalUrl } from './isLocalUrl.ts';
import { nameSessions, sessionName } from './sessions.ts';
import { long, withClient } from './withClient.ts';

export type ReplacedChainOptions = {
  databaseUrl: string;
  schema: string;
  chains: readonly ChainConfiguration[];
  /** Those that this indexer's schema is named by. */
  generations: Generations;
  rpcTimeoutMs: number;
  logger: Logger;
};

const lookIntervalMs = 5_000;
/** Public nodes are polled less often. */
const publicLookIntervalMs = 30_000;

type Block = { number: bigint; hash: string | null };

/**
 * Ponder never checks blocks again that it considers final, so the nodes must still have them. If all nodes of a chain
 * have another block, a reorg went below the final block: its index is given up and rebuilt under another schema, while
 * the current one is still served. A local chain may also lack the block, because it was restarted from scratch or lost
 * its last blocks in a crash. If its index was given up within the last hour, the whole index is dropped at once, with
 * all cached data of that chain.
 *
 * @returns whether the index of a chain was given up, so that the indexer has to start again.
 */
export async function forgetReplacedChains(options: ReplacedChainOptions): Promise<boolean> {
  return withClient(sessionOf(options), async (client) => {
    let hasGivenUp = false;
    for (const chain of options.chains) {
      const conflict = await findConflict(client, chain, options);
      if (!conflict) continue;
      if (await giveUp(client, chain, conflict, options)) hasGivenUp = true;
      else if (isLocal(chain)) {
        const facts = { chain: chain.name, number: String(conflict.number), hash: conflict.hash };
        options.logger.warn(facts, 'the chain was replaced by another one again; indexing everything anew');
        await forget(client, chain.chainId, options.schema);
      }
    }
    return hasGivenUp;
  });
}

/**
 * Checks repeatedly whether a chain was replaced during indexing, for which Ponder would log errors for ten
 * minutes. A chain that does not answer is ignored.
 */
export function watchForReplacedChains(
  options: ReplacedChainOptions,
  onReplaced: (chain: string) => void,
): void {
  const publicAt = new Map<ChainConfiguration, number>();
  const isDue = (chain: ChainConfiguration) => {
    const now = performance.now();
    const isSoon = now - (publicAt.get(chain) ?? 0) < publicLookIntervalMs;
    if (!isLocal(chain) && isSoon) return false;
    publicAt.set(chain, now);
    return true;
  };
  const lookAtDue = async (client: pg.Client) => {
    await noteServed(client, options.schema);
    for (const chain of options.chains.filter(isDue)) {
      const conflict = await findConflict(client, chain, options);
      if (!conflict) continue;
      if ((await giveUp(client, chain, conflict, options)) || isLocal(chain)) onReplaced(chain.name);
    }
  };
  const look = async () => {
    try {
      await withClient(sessionOf(options), lookAtDue);
    } catch (error) {
      options.logger.debug({ err: error }, 'failed to check whether a chain was replaced');
    } finally {
      setTimeout(look, lookIntervalMs).unref();
    }
  };
  setTimeout(look, lookIntervalMs).unref();
}

/** Whether all nodes of the chain run on this machine, and are polled often. */
function isLocal({ rpcUrls }: ChainConfiguration): boolean {
  return rpcUrls.every(isLocalUrl);
}

/** Whether the chain's index is given up: at most once an hour. */
async function giveUp(
  client: pg.Client,
  chain: ChainConfiguration,
  { number, hash }: Block,
  { generations, logger }: ReplacedChainOptions,
): Promise<boolean> {
  const { chainId, name } = chain;
  const facts = { chain: name, chainId, block: String(number), hash };
  const isGivenUp = await giveUpChain(client, {
    chainId,
    generation: generations.get(chainId) ?? 0,
    block: number,
    hash,
  });
  if (isGivenUp)
    logger.error(facts, 'the chain was reorganised below its final block; dropping and rebuilding its index');
  else if (!isLocal(chain))
    logger.error(
      facts,
      'the nodes of this chain report another final block within an hour of the last rebuild; configure nodes that agree',
    );
  return isGivenUp;
}

/**
 * A final block for which all answering nodes of the chain have another one; on a local chain, also one that
 * they lack.
 */
async function findConflict(
  client: pg.Client,
  chain: ChainConfiguration,
  { schema, rpcTimeoutMs }: ReplacedChainOptions,
): Promise<Block | undefined> {
  const readers = chain.rpcUrls.map((url) =>
    createPublicClient({ transport: buildTransport(url, { timeoutMs: rpcTimeoutMs }) }),
  );
  for (const { number, hash } of await readFinalBlocks(client, chain.chainId, schema)) {
    const params: [`0x${string}`, false] = [`0x${number.toString(16)}`, false];
    const asked = readers.map((reader) => reader.request({ method: 'eth_getBlockByNumber', params }));
    const answers = (await Promise.allSettled(asked)).flatMap((answer) =>
      answer.status === 'fulfilled' ? [answer.value] : [],
    );
    // A public node without the block lags.
    const said = isLocal(chain) ? answers : answers.filter((block) => block !== null);
    const isSame = said.some((block) => block !== null && (hash === null || block.hash === hash));
    if (said.length > 0 && !isSame) return { number, hash };
  }
  return undefined;
}

/** The last block of the chain in Ponder's cache, and the last one indexed as final, whose hash is unknown. */
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
    // A checkpoint begins with ten digits of time and sixteen of chain id; then come sixteen of the block's
    // number.
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
  await forgetSync(client, chainId);
  await client.query(long(`drop schema if exists ${pg.escapeIdentifier(schema)} cascade`));
  await client.query('commit');
}

async function exists(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query('select to_regclass($1) is not null as exists', [table]);
  return rows[0]?.exists === true;
}

function sessionOf({ databaseUrl, schema }: ReplacedChainOptions): pg.ClientConfig {
  return { connectionString: nameSessions(databaseUrl, sessionName(schema, 'chains')) };
}

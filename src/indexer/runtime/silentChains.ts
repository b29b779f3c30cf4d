import pg from 'pg';
import type { Logger } from 'pino';
import type { ChainConfiguration } from '../../platform/config/configuration.ts';
import { indexerSchemaName } from '../../platform/database/indexNames.ts';
import { readServedSchemas } from './servedSchemas.ts';
import type { Place } from './standIn.ts';
import { withClient } from './withClient.ts';

type Options = { databaseUrl: string; schema: string; logger: Logger };

const sessionOf = (databaseUrl: string) => ({ connectionString: databaseUrl, application_name: 'indexer' });

/**
 * The position of chains whose nodes do not answer: the last block that this index holds as final. An
 * installation without an index holds nothing of them. Undefined if another index is served, because this one
 * must be complete before it replaces it.
 */
export async function findPlaces(
  { databaseUrl, schema }: Options,
  {
    silent,
    startBlocks,
  }: { silent: readonly ChainConfiguration[]; startBlocks: ReadonlyMap<number, number> },
): Promise<Place[] | undefined> {
  return withClient(sessionOf(databaseUrl), async (client) => {
    const served = await readServedSchemas(client);
    if (served.some((name) => name !== schema)) return undefined;
    const held = await readFinalBlocks(client, schema);
    return silent.map(
      ({ chainId }) =>
        held.find((place) => place.chainId === chainId) ??
        beforeStart({ chainId, number: 0, timestamp: 0 }, startBlocks),
    );
  });
}

/** At the same time, but before the first block that is followed: Ponder asks for no block up to there. */
export function beforeStart({ chainId, timestamp }: Place, startBlocks: ReadonlyMap<number, number>): Place {
  return { chainId, number: Math.max((startBlocks.get(chainId) ?? 0) - 1, 0), timestamp };
}

async function readFinalBlocks(client: pg.Client, schema: string): Promise<Place[]> {
  const table = `${pg.escapeIdentifier(schema)}._ponder_checkpoint`;
  const found = await client.query<{ is_there: boolean }>('select to_regclass($1) is not null as is_there', [
    table,
  ]);
  if (found.rows[0]?.is_there !== true) return [];
  // A checkpoint begins with ten digits of time and sixteen of chain id; then come sixteen of the block's
  // number.
  const { rows } = await client.query<{ chain_id: string; number: string; timestamp: string }>(
    `select chain_id, substring(finalized_checkpoint from 27 for 16) as number,
       substring(finalized_checkpoint for 10) as timestamp from ${table}`,
  );
  return rows.map(({ chain_id, number, timestamp }) => ({
    chainId: Number(chain_id),
    number: Number(number),
    timestamp: Number(timestamp),
  }));
}

/** Reports the chains that the index goes on without. */
export async function noteSilentChains(
  { databaseUrl, logger }: Options,
  { chains, places }: { chains: readonly ChainConfiguration[]; places: readonly Place[] },
): Promise<void> {
  const table = `${indexerSchemaName}.silent_chains`;
  const silent = places.map(({ chainId }) => chainId);
  await withClient(sessionOf(databaseUrl), async (client) => {
    await client.query(
      `create table if not exists ${table} (chain_id integer primary key, since timestamptz not null default now())`,
    );
    await client.query(`delete from ${table} where chain_id <> all($1)`, [silent]);
    await client.query(
      `insert into ${table} (chain_id) select unnest($1::integer[]) on conflict do nothing`,
      [silent],
    );
  });
  for (const { chainId, number } of places) {
    const chain = chains.find((one) => one.chainId === chainId)?.name;
    logger.error(
      { chain, chainId, block: number },
      'no node of this chain answers; its index is stalled, other chains continue',
    );
  }
}

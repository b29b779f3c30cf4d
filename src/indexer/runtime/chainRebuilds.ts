import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { indexerSchemaName, indexViewsSchemaName } from '../../platform/database/indexNames.ts';
import { isDatabaseAway } from '../../platform/database/isDatabaseAway.ts';
import { long, withClient } from './withClient.ts';

/** Nodes that alternate between two histories must not cause endless rebuilds. */
const leastIntervalMs = 3_600_000;

/** A chain whose index is to be given up for a block, and how often that had been done before this index began. */
export type GivenUp = { chainId: number; generation: number; block: bigint; hash: string | null };

/** How often the index of a chain was given up, and whether the rebuilt one is served. */
export type Rebuild = { readonly chainId: number; readonly generation: number; readonly isDone: boolean };

/**
 * How often the index of each chain was given up; chains that were never rebuilt may be missing. It is part of the
 * schema's name.
 */
export type Generations = ReadonlyMap<number, number>;

const retryDelayMs = 1_000;
const patienceMs = 10_000;

/**
 * The chains whose index was given up. Waits until the database is reachable.
 *
 * @throws Error for which waiting does not help, such as a wrong password, or a role that may not make the table.
 */
export async function readRebuilds(options: { databaseUrl: string; logger: Logger }): Promise<Rebuild[]> {
  const session = {
    connectionString: options.databaseUrl,
    application_name: 'indexer',
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
  };
  for (;;) {
    try {
      return await withClient(session, readTable);
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      options.logger.warn({ err: error, retryInMs: retryDelayMs }, 'the database is not reachable');
      await delay(retryDelayMs);
    }
  }
}

async function readTable(client: pg.Client): Promise<Rebuild[]> {
  await createTable(client);
  const { rows } = await client.query<Rebuild>(
    `select chain_id as "chainId", generation, done_at is not null as "isDone" from ${indexerSchemaName}.rebuilds`,
  );
  return rows;
}

export function generationsOf(rebuilds: readonly Rebuild[]): Generations {
  return new Map(rebuilds.map(({ chainId, generation }) => [chainId, generation]));
}

/** One row per chain whose index was given up. */
async function createTable(client: pg.Client): Promise<void> {
  await client.query(`
    begin;
    select pg_advisory_xact_lock(hashtextextended('${indexerSchemaName}', 0));
    create schema if not exists ${indexerSchemaName};
    create table if not exists ${indexerSchemaName}.rebuilds (
      chain_id integer primary key,
      generation integer not null,
      block_number numeric not null,
      block_hash text,
      since timestamptz not null default now(),
      done_at timestamptz);
    commit`);
}

/**
 * Gives up the index of one chain: from the next start it is rebuilt under another schema, while the current
 * index is still served. Returns false if that was done less than an hour before the caller's index began, because then
 * it would not help.
 */
export async function giveUpChain(client: pg.Client, givenUp: GivenUp): Promise<boolean> {
  const { chainId, generation, block, hash } = givenUp;
  await client.query('begin');
  const { rowCount } = await client.query(
    `insert into ${indexerSchemaName}.rebuilds as rebuild (chain_id, generation, block_number, block_hash) values ($1, 1, $2, $3)
     on conflict (chain_id) do update set generation = rebuild.generation + 1, block_number = excluded.block_number,
       block_hash = excluded.block_hash, since = now(), done_at = null
     where rebuild.since < now() - $4 * interval '1 millisecond'`,
    [chainId, String(block), hash, leastIntervalMs],
  );
  const isGivenUp = (rowCount ?? 0) > 0;
  if (isGivenUp) await forgetSync(client, chainId);
  await client.query('commit');
  return isGivenUp || (await isSuperseded(client, { chainId, generation }));
}

/** Whether the index of this generation was given up before, by a commit whose answer was lost or another process. */
async function isSuperseded(
  client: pg.Client,
  { chainId, generation }: Pick<GivenUp, 'chainId' | 'generation'>,
): Promise<boolean> {
  const { rows } = await client.query(
    `select from ${indexerSchemaName}.rebuilds where chain_id = $1 and generation > $2`,
    [chainId, generation],
  );
  return rows.length > 0;
}

/** Deletes Ponder's cached blocks of a chain; those of other chains stay. */
export async function forgetSync(client: pg.Client, chainId: number): Promise<void> {
  const { rows } = await client.query(
    `select table_name from information_schema.columns where table_schema = 'ponder_sync' and column_name = 'chain_id'`,
  );
  for (const { table_name } of rows) {
    const table = `ponder_sync.${pg.escapeIdentifier(table_name)}`;
    await client.query(long(`delete from ${table} where chain_id = $1`, [chainId]));
  }
}

/** Notes that the rebuilt index is served, once the views show only `schema`. */
export async function noteServed(client: pg.Client, schema: string): Promise<void> {
  await client.query(
    `update ${indexerSchemaName}.rebuilds set done_at = now()
     where done_at is null and array[$1::text] = (
       select array_agg(distinct table_schema::text) from information_schema.view_table_usage where view_schema = $2)`,
    [schema, indexViewsSchemaName],
  );
}

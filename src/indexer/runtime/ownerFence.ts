import pg from 'pg';
import { indexerSchemaName } from '../../platform/database/indexNames.ts';

const trigger = 'refuse_former_owner';
/** So that a writer with long transactions is not delayed by the wait for its table. */
const lockTimeoutMs = 1_000;
const lockNotAvailable = '55P03';
/** Ponder writes only its own heartbeat there, no row of the index. */
const unfenced = '_ponder_meta';

/**
 * Makes the sessions of that name the only ones that may write to the tables of the index schema. Once this
 * returns, every later session of the former owner is refused; the caller must end existing sessions.
 */
export async function claimOwnership(
  client: pg.Client,
  { schema, session }: { schema: string; session: string },
): Promise<void> {
  await client.query('begin');
  // Two indexers of different schemas may start at once.
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [indexerSchemaName]);
  await client.query(`
    create schema if not exists ${indexerSchemaName};
    create table if not exists ${indexerSchemaName}.owners (
      index_schema text primary key,
      session text not null,
      since timestamptz not null default now());
    create or replace function ${indexerSchemaName}.${trigger}() returns trigger language plpgsql as $$
    begin
      if current_setting('application_name') is distinct from
        (select session from ${indexerSchemaName}.owners where index_schema = tg_table_schema)
      then
        raise exception 'another indexer has taken over the index %', tg_table_schema using errcode = '55000';
      end if;
      return null;
    end $$`);
  await client.query(
    `insert into ${indexerSchemaName}.owners (index_schema, session) values ($1, $2)
     on conflict (index_schema) do update set session = excluded.session, since = now()`,
    [schema, session],
  );
  await client.query('commit');
}

/**
 * Adds the ownership check to every statement that writes to a table of the index schema. Tables locked by
 * others stay without it until the next call.
 */
export async function fenceTables(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = to_regnamespace($1) and relkind in ('r', 'p') and relname <> $2
       and not exists (select from pg_trigger where tgrelid = pg_class.oid and tgname = $3)`,
    [pg.escapeIdentifier(schema), unfenced, trigger],
  );
  if (rows.length === 0) return;
  await client.query(`set lock_timeout = ${lockTimeoutMs}`);
  for (const { name } of rows) {
    const table = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
    try {
      await client.query(
        `create trigger ${trigger} before insert or update or delete or truncate on ${table}
         for each statement execute function ${indexerSchemaName}.${trigger}()`,
      );
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && error.code === lockNotAvailable)) throw error;
    }
  }
  await client.query('set lock_timeout = default');
}

/** Removes the owner of a dropped index schema. */
export async function forgetOwner(client: pg.Client, schema: string): Promise<void> {
  await client.query(`delete from ${indexerSchemaName}.owners where index_schema = $1`, [schema]);
}

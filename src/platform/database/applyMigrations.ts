import { setTimeout as delay } from 'node:timers/promises';
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator';
import type pg from 'pg';
import type { Logger } from 'pino';
import { serviceSchemaName } from './schema.ts';

/** The table of applied migrations, in the format of Drizzle's own migrator. */
const history = `${serviceSchemaName}.migrations`;
const createHistory = `
  create schema if not exists ${serviceSchemaName};
  create table if not exists ${history} (id serial primary key, hash text not null, created_at bigint)`;
/**
 * Shorter than PostgreSQL's `deadlock_timeout` (a second). So the migration always yields in a deadlock, never a
 * statement of a serving process.
 */
const lockTimeoutMs = 700;
/** Longer than `deadlock_timeout`: only then does PostgreSQL end an autovacuum that blocks the lock. */
const reserveTimeoutMs = 1_500;
const [pauseMs, morePauseMs] = [500, 1_000];
const triesBetweenWarnings = 20;
/** SQL states: a lock not available in time, and a deadlock. */
const busyStates = new Set(['55P03', '40P01']);

/**
 * Applies the pending migrations of a folder, each in its own transaction. Processes of an earlier version
 * may run meanwhile. A migration first locks every table that it names. If it does not get all locks at once,
 * it releases them and tries again later, as often as needed. Each try delays running processes by less than
 * a second, and the migration itself by its duration; a migration that only creates indexes does not delay
 * reads. The caller makes sure that nobody else migrates.
 */
export async function applyMigrations(
  client: pg.ClientBase,
  { folder, logger }: { folder: string; logger?: Logger | undefined },
): Promise<void> {
  const migrations = readMigrationFiles({ migrationsFolder: folder });
  await client.query(createHistory);
  const { rows } = await client.query<{ last: string | null }>(
    `select max(created_at) as last from ${history}`,
  );
  const last = Number(rows[0]?.last ?? -1);
  for (const migration of migrations)
    if (migration.folderMillis > last) await applyPatiently(client, migration, logger);
}

async function applyPatiently(
  client: pg.ClientBase,
  migration: MigrationMeta,
  logger: Logger | undefined,
): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await client.query('begin');
      await apply(client, migration);
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      if (!isBusy(error)) throw error;
      if (tries % triesBetweenWarnings === 0)
        logger?.warn({ err: error, tries }, 'tables changed by a migration are in use; retrying');
      await delay(pauseMs + morePauseMs * Math.random());
    }
  }
}

async function apply(client: pg.ClientBase, { sql, hash, folderMillis }: MigrationMeta): Promise<void> {
  const tables = await findTables(client, sql.join('\n'));
  if (tables.length > 0) {
    // Blocks no reads or writes, only maintenance that would begin.
    await client.query(`set local lock_timeout = ${reserveTimeoutMs}`);
    for (const table of tables) await client.query(`lock table ${table} in share update exclusive mode`);
    await client.query(`set local lock_timeout = ${Math.ceil(lockTimeoutMs / tables.length)}`);
    await client.query(`lock table ${tables.join(', ')} in ${chooseMode(sql)} mode`);
  }
  // Building an index may take longer than the operator's statement time-out.
  await client.query('set local statement_timeout = 0');
  for (const statement of sql) await client.query(statement);
  await client.query(`insert into ${history} (hash, created_at) values ($1, $2)`, [hash, folderMillis]);
}

/** While only indexes are created, the tables can still be read. */
function chooseMode(statements: readonly string[]): string {
  return statements.every((text) => /^\s*create (unique )?index\b/i.test(text))
    ? 'share'
    : 'access exclusive';
}

/** The existing tables that statements name, or whose index they name. */
async function findTables(client: pg.ClientBase, statements: string): Promise<string[]> {
  const names = [...statements.matchAll(/"(\w+)"/g)].map(([, name]) => name);
  const { rows } = await client.query<{ name: string }>(
    `select distinct coalesce(i.indrelid, named.oid)::regclass::text as name
     from pg_class named left join pg_index i on i.indexrelid = named.oid
     where named.relnamespace = to_regnamespace($1) and named.relkind in ('r', 'i') and named.relname = any($2::text[])
     order by name`,
    [serviceSchemaName, names],
  );
  return rows.map(({ name }) => name);
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && busyStates.has(String(error.code));
}

import pg from 'pg';
import { migrateDatabase } from '../../../src/platform/database/migrateDatabase.ts';
import { dumpAndRestore } from './dumpAndRestore.ts';
import { findDumpPrograms } from './findDumpPrograms.ts';

const schemas = ['service', 'graphile_worker'];

/**
 * Copies a database that is in use into an empty one, as of one moment. It uses the commands of OPERATIONS.md
 * if this machine has the programs for the server's version; otherwise it does the same with queries.
 *
 * @returns which of the two it used.
 */
export async function copyDatabase({ from, to }: Copying): Promise<'commands' | 'rows'> {
  const programs = await findDumpPrograms(from);
  if (programs === undefined) {
    await copySchemas({ from, to });
    return 'rows';
  }
  await dumpAndRestore({ from, to, programs });
  return 'commands';
}

type Copying = { from: string; to: string };

/**
 * Does the same as `pg_dump` and `pg_restore` of the kept schemas. Rows travel in the text form of their
 * types.
 */
async function copySchemas({ from, to }: Copying): Promise<void> {
  await migrateDatabase(to);
  const [source, target] = [
    new pg.Client({ connectionString: from }),
    new pg.Client({ connectionString: to }),
  ];
  await Promise.all([source.connect(), target.connect()]);
  try {
    await source.query('begin isolation level repeatable read read only');
    await target.query('begin');
    // Rows come in any order, so constraints are not checked; a restore adds the constraints last.
    await target.query('set local session_replication_role = replica');
    const tables = await listTables(source);
    await target.query(`truncate ${tables.join(', ')}`);
    for (const table of tables) await copyRows(source, target, table);
    for (const { name, last } of await listSequences(source))
      await target.query('select setval($1::regclass, $2)', [name, last]);
    await target.query('commit');
  } finally {
    await Promise.all([source.end(), target.end()]);
  }
}

async function listTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind = 'r' order by 1`,
    [schemas],
  );
  return rows.map(({ name }) => name);
}

async function copyRows(source: pg.Client, target: pg.Client, table: string): Promise<void> {
  const { rows } = await source.query<{ text: string }>(`select r::text as text from ${table} r`);
  // The database computes generated columns from the others.
  const { rows: columns } = await source.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [table],
  );
  const names = columns.map(({ name }) => name);
  await target.query(
    `insert into ${table} (${names.join(', ')}) overriding system value
     select ${names.map((name) => `(r).${name}`).join(', ')}
     from (select text::${table} as r from unnest($1::text[]) as text) as rows`,
    [rows.map(({ text }) => text)],
  );
}

/** The sequences that have been used. */
async function listSequences(client: pg.Client): Promise<{ name: string; last: string }[]> {
  const { rows } = await client.query<{ name: string; last: string }>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value::text as last
     from pg_sequences where schemaname = any($1) and last_value is not null`,
    [schemas],
  );
  return rows;
}

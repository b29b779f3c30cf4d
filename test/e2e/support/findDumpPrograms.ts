import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);

/**
 * The directory with a `pg_dump` and a `pg_restore` that are no older than the server of this database.
 * Searches PATH and the directories of PostgreSQL packages. Undefined if this machine has none.
 */
export async function findDumpPrograms(databaseUrl: string): Promise<string | undefined> {
  const wanted = await readServerVersion(databaseUrl);
  const inPath = (process.env.PATH ?? '').split(delimiter).filter((directory) => directory !== '');
  for (const directory of [...inPath, ...globSync('/usr/lib/postgresql/*/bin')]) {
    const versions = await Promise.all(
      ['pg_dump', 'pg_restore'].map((program) => readVersion(join(directory, program))),
    );
    if (versions.every((version) => version !== undefined && version >= wanted)) return directory;
  }
  return undefined;
}

async function readServerVersion(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ major: number }>(
      `select current_setting('server_version_num')::int / 10000 as major`,
    );
    const [row] = rows;
    if (!row) throw new Error('the server does not tell its version');
    return row.major;
  } finally {
    await client.end();
  }
}

/**
 * The major version, as in `pg_dump (PostgreSQL) 18.4`; undefined if there is no such program, or it cannot
 * run here.
 */
async function readVersion(program: string): Promise<number | undefined> {
  const answer = await run(program, ['--version']).catch(() => undefined);
  const [, major] = /\(PostgreSQL\) (\d+)/.exec(answer?.stdout ?? '') ?? [];
  return major === undefined ? undefined : Number(major);
}

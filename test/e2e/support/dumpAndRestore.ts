import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const operations = new URL('../../../OPERATIONS.md', import.meta.url);

/**
 * Saves one database and restores it into another, empty one, with exactly the commands of OPERATIONS.md.
 * `programs` is the directory of `pg_dump` and `pg_restore`.
 *
 * @throws Error with their output if one of them fails.
 */
export async function dumpAndRestore(options: { from: string; to: string; programs: string }): Promise<void> {
  const { from, to, programs } = options;
  const directory = await mkdtemp(join(tmpdir(), 'agreements-dump-'));
  const type = (command: string, databaseUrl: string) =>
    run('sh', ['-c', command], {
      cwd: directory,
      env: { PATH: `${programs}${delimiter}${process.env.PATH ?? ''}`, DATABASE_URL: databaseUrl },
    });
  try {
    await type(findCommand('pg_dump'), from);
    await type(findCommand('pg_restore'), to);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** The command line that runs this program where it is installed, not in a container. */
export function findCommand(program: 'pg_dump' | 'pg_restore'): string {
  const [section = ''] = readFileSync(operations, 'utf8').split('## Backup and restore').slice(1);
  const [, command] = new RegExp(`^ {4}(${program} .+)$`, 'm').exec(section) ?? [];
  if (command === undefined) throw new Error(`OPERATIONS.md tells no ${program}`);
  return command;
}

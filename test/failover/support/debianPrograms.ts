import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import type { ServerAccount } from '../../../src/cli/devtools/postgresAccount.ts';

const packages = '/usr/lib/postgresql';

/**
 * The directory of the programs of the newest PostgreSQL from Debian's packages; undefined if none is
 * installed.
 */
export function findDebianPrograms(): string | undefined {
  try {
    const versions = readdirSync(packages).filter((name) => /^\d+$/.test(name));
    const newest = versions.toSorted((one, other) => Number(other) - Number(one))[0];
    return newest && `${packages}/${newest}/bin`;
  } catch {
    return undefined;
  }
}

/**
 * Runs a PostgreSQL program to its end, under the server's account.
 *
 * @throws Error with its output if it fails.
 */
export async function runProgram(
  account: ServerAccount,
  command: readonly [string, ...string[]],
): Promise<void> {
  const [program, ...words] = account.commandLine(command);
  await promisify(execFile)(program, words, { ...account.spawnOptions, cwd: '/' });
}

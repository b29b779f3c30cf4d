import { spawnSync } from 'node:child_process';
import { chown, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { clusterDirectory } from './clusterDirectory.ts';

/** How to spawn a command of PostgreSQL under an account that PostgreSQL accepts. */
export type ServerAccount = {
  /** Undefined if the server runs under this process's account. */
  owner: { uid: number; gid: number } | undefined;
  /** The command to spawn and its arguments, for the given command of PostgreSQL. */
  commandLine(command: readonly [string, ...string[]]): readonly [string, ...string[]];
  spawnOptions: { uid?: number; gid?: number };
};

/**
 * PostgreSQL refuses to run as root. If this process is root, the server runs as the owner of the existing
 * data, or else as the system's `postgres` or `nobody`; no account is created. If that account cannot reach
 * the data or the programs, because the checkout is inside a directory such as /root that only its owner may
 * enter, the server gets one capability to pass, by `setpriv` (util-linux).
 *
 * @throws Error saying what to do, if no account will do.
 */
export async function findServerAccount(paths: {
  dataDirectory: string;
  programs: readonly string[];
}): Promise<ServerAccount> {
  if (process.getuid?.() !== 0)
    return { owner: undefined, commandLine: (command) => command, spawnOptions: {} };
  const owner = (await ownerOfCluster(paths.dataDirectory)) ?? (await unprivilegedAccount());
  await chown(paths.dataDirectory, owner.uid, owner.gid);
  if (canReach(owner, paths)) return { owner, commandLine: (command) => command, spawnOptions: owner };

  const capability = await passingCapability();
  const asOwner = ['--reuid', String(owner.uid), '--regid', String(owner.gid), '--clear-groups'];
  // Without the securebit, access(2), with which PostgreSQL finds its own programs, would ignore the
  // capability.
  const withCapability = [
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
    '--securebits=+no_setuid_fixup',
  ];
  return {
    owner,
    commandLine: (command) => ['setpriv', ...asOwner, ...withCapability, '--', ...command],
    spawnOptions: {},
  };
}

async function ownerOfCluster(dataDirectory: string): Promise<{ uid: number; gid: number } | undefined> {
  const existing = await stat(join(clusterDirectory(dataDirectory), 'PG_VERSION')).catch(() => undefined);
  return existing && existing.uid !== 0 ? { uid: existing.uid, gid: existing.gid } : undefined;
}

async function unprivilegedAccount(): Promise<{ uid: number; gid: number }> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find(([account]) => account === name) ?? [];
    if (Number(uid) > 0 && Number(gid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and there is neither a postgres nor a nobody account to run it as',
  );
}

/** Asks the operating system, because modes, access lists and mounts all matter. */
function canReach(
  account: { uid: number; gid: number },
  paths: { dataDirectory: string; programs: readonly string[] },
): boolean {
  const script = 'cd -- "$1" || exit 1; shift; for program do test -x "$program" || exit 1; done';
  const words = ['-c', script, 'sh', paths.dataDirectory, ...paths.programs];
  const { status } = spawnSync('/bin/sh', words, { ...account, cwd: '/', stdio: 'ignore' });
  return status === 0;
}

/** The weaker one first; containers usually have only the second. */
async function passingCapability(): Promise<string> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  const held = BigInt(`0x${/^CapPrm:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  const setpriv = spawnSync('setpriv', ['--version'], { stdio: 'ignore' });
  if (setpriv.status === 0 && (held & (1n << 2n)) !== 0n) return 'dac_read_search';
  if (setpriv.status === 0 && (held & (1n << 1n)) !== 0n) return 'dac_override';
  throw new Error(
    'PostgreSQL refuses to run as root, and no other account can enter the directory of this checkout: ' +
      'move it out of the home directory of root, or give DATABASE_URL of a PostgreSQL of your own',
  );
}

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clusterDirectory } from './clusterDirectory.ts';
import type { ServerAccount } from './postgresAccount.ts';

/** The superuser's password is in the cluster, readable only for the server's account (and root). */
const passwordFile = 'superuser-password';

/**
 * Creates an empty cluster if there is none yet: UTF-8, locale C, only password logins. It appears complete
 * or not at all, so that an interrupted run leaves nothing that looks like a cluster.
 */
export async function ensureCluster(options: {
  dataDirectory: string;
  initdb: string;
  account: ServerAccount;
}): Promise<void> {
  const { dataDirectory, initdb, account } = options;
  const cluster = clusterDirectory(dataDirectory);
  const exists = await access(join(cluster, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
  if (exists) return;

  const unfinished = join(dataDirectory, 'unfinished');
  const password = join(dataDirectory, passwordFile);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await rm(password, { force: true });
  await writeFile(password, randomBytes(24).toString('hex'), { mode: 0o600 });
  const { owner } = account;
  if (owner) for (const path of [unfinished, password]) await chown(path, owner.uid, owner.gid);

  const flags = [
    '--username=postgres',
    '--encoding=UTF8',
    '--locale=C',
    '--auth=scram-sha-256',
    '--no-instructions',
  ];
  const [command, ...words] = account.commandLine([
    initdb,
    '-D',
    unfinished,
    `--pwfile=${password}`,
    ...flags,
  ]);
  await promisify(execFile)(command, words, { ...account.spawnOptions, cwd: '/' });
  await rename(password, join(unfinished, passwordFile));
  await rename(unfinished, cluster);
}

/** The password of the superuser `postgres` of a cluster created here. */
export async function readSuperuserPassword(dataDirectory: string): Promise<string> {
  return (await readFile(join(clusterDirectory(dataDirectory), passwordFile), 'utf8')).trim();
}

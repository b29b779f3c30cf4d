import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../src/cli/devtools/freePort.ts';
import { connectPatiently } from '../../src/platform/database/connectPatiently.ts';

const program = '/usr/sbin/pgbouncer';

/** Whether Debian's package is installed. */
export const hasPgBouncer = existsSync(program);

export type PgBouncer = { readonly url: string; stop(): Promise<void> };

/** Starts a PgBouncer in front of a database's server. */
export async function startPgBouncer(
  databaseUrl: string,
  settings: Readonly<Record<string, string>>,
): Promise<PgBouncer> {
  const directory = await mkdtemp(join(tmpdir(), 'agreements-pooler-'));
  await chmod(directory, 0o755);
  const port = await findFreePort();
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const file = join(directory, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${serverPort || 5432} user=${username}${password && ` password=${password}`}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    // PgBouncer refuses to run as root.
    ...(process.getuid?.() === 0 ? ['user = nobody'] : []),
    ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
  ];
  await writeFile(file, lines.join('\n'), { mode: 0o644 });
  const child = spawn(program, [file], { stdio: 'ignore' });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const url = new URL(databaseUrl);
  url.port = String(port);
  const client = await connectPatiently({ url: url.href, applicationName: 'test', patienceMs: 20_000 });
  await client.end();
  return {
    url: url.href,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      await rm(directory, { recursive: true });
    },
  };
}

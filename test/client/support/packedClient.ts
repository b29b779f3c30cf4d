import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

export type PackedClient = {
  /** The directory of a project that contains only the unpacked package and viem. */
  directory: string;
  files: readonly string[];
  dispose(): Promise<void>;
};

/**
 * Packs the client as it is published, which builds it, and unpacks it into the `node_modules` of an empty
 * project.
 */
export async function packClient(): Promise<PackedClient> {
  const directory = await mkdtemp(join(tmpdir(), 'agreements-packed-'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', directory], {
    cwd: join(root, 'client'),
    env: { ...process.env, npm_config_loglevel: 'error' },
  });
  const [packed]: { filename: string; files: { path: string }[] }[] = JSON.parse(
    stdout.slice(stdout.indexOf('[')),
  );
  if (!packed) throw new Error('nothing was packed');
  const modules = join(directory, 'node_modules');
  await mkdir(join(modules, 'agreements-client'), { recursive: true });
  await run('tar', [
    '-xzf',
    join(directory, packed.filename),
    '--strip-components=1',
    '-C',
    join(modules, 'agreements-client'),
  ]);
  await symlink(join(root, 'node_modules/viem'), join(modules, 'viem'));
  return {
    directory,
    files: packed.files.map(({ path }) => path).toSorted(),
    dispose: () => rm(directory, { recursive: true }),
  };
}

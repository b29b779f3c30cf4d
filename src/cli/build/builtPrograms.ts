import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listSources } from './listSources.ts';
import type { ProgramName } from './programs.ts';

/** All sources of the programs except the packages, whose versions are in the lock file. */
export const programSources = [
  ...['abis', 'client/src', 'console/build', 'contracts-test', 'src'],
  ...['package-lock.json', 'ponder.config.ts', 'ponder.schema.ts', 'tsconfig.json'],
];
const root = fileURLToPath(new URL('../../..', import.meta.url));
/** A running program may still load parts of an earlier build: besides these, those of a day's programs stay. */
const keptBuilds = 5;
const inUseMs = 86_400_000;
/** A process was killed while it built. */
const unfinishedAfterMs = 3_600_000;
const builder = fileURLToPath(new URL('build.ts', import.meta.url));

let current: string | undefined;

/**
 * The file of a program, built from the sources as they were when this process first asked. Without a lock file, as in the container, it
 * is the one that `npm run build` has made.
 */
export function findProgram(name: ProgramName): string {
  current ??= existsSync(join(root, 'package-lock.json')) ? ensurePrograms() : join(root, 'dist/service');
  return join(current, `${name}.js`);
}

function ensurePrograms(): string {
  return ensureBuild({
    builds: join(root, 'dist'),
    sources: () => listSources(root, programSources),
    build(directory) {
      const { status } = spawnSync(process.execPath, [builder, directory], {
        stdio: ['ignore', 'inherit', 'inherit'],
        env: { ...process.env, NODE_OPTIONS: '' },
      });
      if (status !== 0) throw new Error('The programs could not be built.');
    },
  });
}

/**
 * The directory that is built from the present sources. It is named by their paths, sizes and times of change, so a changed source has a
 * directory of its own, and nothing changes below a running program. Processes that build the same at the same time do not disturb each
 * other: a directory gets its name when it is complete.
 */
export function ensureBuild(options: {
  builds: string;
  sources(): readonly { path: string; bytes: number; changedAtMs: number }[];
  build(directory: string): void;
}): string {
  const { builds, sources, build } = options;
  const name = createHash('sha256').update(JSON.stringify(sources())).digest('hex').slice(0, 16);
  const directory = join(builds, name);
  if (existsSync(directory)) {
    const now = new Date();
    utimesSync(directory, now, now);
    return directory;
  }
  mkdirSync(builds, { recursive: true });
  const unfinished = `${directory}.${process.pid}`;
  try {
    build(unfinished);
    renameSync(unfinished, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
    // Another process was faster.
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  removeOld(builds);
  return directory;
}

function removeOld(builds: string): void {
  const all = readdirSync(builds).map((name) => ({
    path: join(builds, name),
    usedAt: usedAt(join(builds, name)),
  }));
  const complete = all
    .filter(({ path }) => /[0-9a-f]{16}$/.test(path))
    .sort((one, other) => other.usedAt - one.usedAt);
  const left = all.filter(
    ({ path, usedAt }) => /[0-9a-f]{16}\.\d+$/.test(path) && usedAt < Date.now() - unfinishedAfterMs,
  );
  const old = complete.slice(keptBuilds).filter(({ usedAt }) => usedAt < Date.now() - inUseMs);
  for (const { path } of [...old, ...left]) rmSync(path, { recursive: true, force: true });
}

/** Another process may have just removed it. */
function usedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { consoleDirectory } from './buildConsole.ts';

/** All sources of the built console except the packages, whose versions are in the lock file. */
const sources = ['console', 'client/src', 'src/protocol', 'package-lock.json'];
const repository = fileURLToPath(new URL('../..', import.meta.url));
/** Files that a build leaves beside its sources. */
const made = /^(dist(\.\d+)?|node_modules)(\/|$)/;

/** Whether the console is not built, or one of its sources has changed since. */
export function isConsoleStale(): boolean {
  const builtAt = changedAt(join(consoleDirectory, 'index.html'));
  return builtAt === undefined || sources.some((source) => newest(join(repository, source)) > builtAt);
}

function newest(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.mtimeMs ?? 0;
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((file) => !made.test(file));
  return Math.max(0, ...files.map((file) => fileTime(join(path, file))));
}

function fileTime(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() ? stat.mtimeMs : 0;
}

function changedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export type Source = { readonly path: string; readonly bytes: number; readonly changedAtMs: number };

/** What a build leaves beside its sources; and what Ponder writes at every start: declarations and a schema in `generated`. */
const made = /^(dist(\.\d+)?|node_modules)(\/|$)|(^|\/)generated(\/|$)|\.d\.ts$/;

/** The files, and all files of the directories, from which something is built; those that are missing are left out. */
export function listSources(root: string, paths: readonly string[]): Source[] {
  return paths.flatMap((path) => {
    const source = findSource(root, path);
    if (source !== 'directory') return source ?? [];
    return readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
      .filter((file) => !made.test(file))
      .sort()
      .flatMap((file) => {
        const found = findSource(root, `${path}/${file}`);
        return found === undefined || found === 'directory' ? [] : found;
      });
  });
}

function findSource(root: string, path: string): Source | 'directory' | undefined {
  const stat = statSync(join(root, path), { throwIfNoEntry: false });
  if (stat?.isDirectory()) return 'directory';
  return stat?.isFile() ? { path, bytes: stat.size, changedAtMs: stat.mtimeMs } : undefined;
}

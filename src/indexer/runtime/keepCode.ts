import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns what `make` makes of a text, from the cache if an earlier process has stored it. `cache` is Node's compile cache
 * if NODE_COMPILE_CACHE names one: it has a directory for each version of Node. Without a cache nothing is kept.
 */
export function keepCode(
  text: string,
  { cache, make }: { cache: string | undefined; make(text: string): string },
): string {
  if (cache === undefined) return make(text);
  const directory = join(cache, 'stripped');
  const file = join(directory, createHash('sha256').update(text).digest('hex'));
  const kept = readKept(file);
  if (kept !== undefined) return kept;
  const made = make(text);
  try {
    mkdirSync(directory, { recursive: true });
    // Another process never reads half of it.
    writeFileSync(`${file}.${process.pid}`, made);
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // A cache that cannot be written saves nothing.
  }
  return made;
}

function readKept(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

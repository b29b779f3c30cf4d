import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

/** A chain's saved state. Anvil overwrites its dump in place, so it never dumps onto the state it was loaded from. */
export interface AnvilStateFile {
  /** The file to load, or null for a new chain. */
  load: string | null;
  /** The file to dump to. */
  dump: string;
}

/**
 * Prepares the state in `path` for a start: adopts what the last run dumped, unless that dump was cut off, in which
 * case the state before it stands. Creates the directory.
 */
export function prepareAnvilState(path: string): AnvilStateFile {
  mkdirSync(dirname(path), { recursive: true });
  adoptAnvilDump(path);
  return { load: existsSync(path) ? path : null, dump: dumpPath(path) };
}

/** Makes a complete dump the state; removes one that was cut off. To be called when no Anvil is writing it. */
export function adoptAnvilDump(path: string): void {
  const dump = dumpPath(path);
  if (!existsSync(dump)) return;
  if (isComplete(dump)) renameSync(dump, path);
  else rmSync(dump);
}

function dumpPath(path: string): string {
  return `${path}.dump`;
}

function isComplete(dump: string): boolean {
  try {
    JSON.parse(readFileSync(dump, 'utf8'));
    return true;
  } catch {
    return false;
  }
}

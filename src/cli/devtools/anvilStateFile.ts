import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';

/**
 * A chain's saved state. Anvil overwrites its dump in place, so it never dumps onto the state that it was
 * loaded from.
 */
export interface AnvilStateFile {
  /** The file to load, or null for a new chain. */
  load: string | null;
  dump: string;
  /**
   * When the loaded chain began, in Unix seconds; null for a new chain. Anvil makes a first block of its own
   * before it loads one. With another time that would be another block, and either could become block 0.
   */
  genesisTimestamp: number | null;
}

/**
 * Prepares the state in `path` for a start: adopts the last run's dump. If that dump was truncated, keeps the
 * state before it. Creates the directory.
 */
export function prepareAnvilState(path: string): AnvilStateFile {
  mkdirSync(dirname(path), { recursive: true });
  adoptAnvilDump(path);
  const load = existsSync(path) ? path : null;
  return { load, dump: dumpPath(path), genesisTimestamp: load === null ? null : findGenesisTimestamp(load) };
}

/** Makes a complete dump the state; removes a truncated one. Call it when no Anvil is writing the dump. */
export function adoptAnvilDump(path: string): void {
  const dump = dumpPath(path);
  if (!existsSync(dump)) return;
  if (isComplete(dump)) renameSync(dump, path);
  else rmSync(dump);
}

function dumpPath(path: string): string {
  return `${path}.dump`;
}

const quantity = z.union([z.string(), z.number()]).transform(Number);
const stateShape = z.object({
  blocks: z.array(z.object({ header: z.object({ number: quantity, timestamp: quantity }) })),
});

/** Null if the file cannot be read; Anvil then reports the error. */
function findGenesisTimestamp(path: string): number | null {
  try {
    const { blocks } = stateShape.parse(JSON.parse(readFileSync(path, 'utf8')));
    const first = blocks.filter(({ header }) => header.number === 0);
    return first.length === 0 ? null : Math.min(...first.map(({ header }) => header.timestamp));
  } catch {
    return null;
  }
}

function isComplete(dump: string): boolean {
  try {
    JSON.parse(readFileSync(dump, 'utf8'));
    return true;
  } catch {
    return false;
  }
}

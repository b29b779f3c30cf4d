import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What Linux keeps in memory. */
const memory = '/dev/shm';
/** More than all databases of a run hold at a time, with the log of PostgreSQL. Containers often have 64 MB there. */
const enoughBytes = 4 * 2 ** 30;

/**
 * A new directory for databases that nobody needs after the run, in memory if there is enough: each database has some four hundred
 * files, which take five times as long to make and remove on a disk. The caller removes it.
 */
export async function makeScratchDirectory(prefix: string): Promise<string> {
  const inMemory = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize >= enoughBytes,
    () => false,
  );
  return mkdtemp(join(inMemory ? memory : tmpdir(), prefix));
}

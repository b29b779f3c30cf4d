import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory that Linux keeps in memory. */
const memory = '/dev/shm';
/**
 * More than all databases of a run need at one time, including PostgreSQL's log. Containers often have only
 * 64 MB there.
 */
const enoughBytes = 4 * 2 ** 30;

/**
 * A new directory for databases that end with the run, in memory if there is enough. Each database has about
 * four hundred files, which take five times as long to create and remove on a disk. The caller removes it.
 */
export async function makeScratchDirectory(prefix: string): Promise<string> {
  const inMemory = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize >= enoughBytes,
    () => false,
  );
  return mkdtemp(join(inMemory ? memory : tmpdir(), prefix));
}

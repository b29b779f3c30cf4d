import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  getProcess,
  isRunning,
  type ProcessIdentity,
  processIdentityShape,
} from '../../platform/supervision/processIdentity.ts';

/** The data directory is in use by another development stack, which is still running. */
export class DevLockedError extends Error {
  override readonly name = 'DevLockedError';
}

/**
 * Locks a data directory for this process, until the returned function releases it. The lock of a dead
 * process does not count.
 *
 * @throws DevLockedError naming the process that has it.
 */
export function lockDevDirectory(lockFile: string): () => void {
  mkdirSync(dirname(lockFile), { recursive: true });
  const own = getProcess(process.pid);
  for (;;) {
    try {
      writeFileSync(lockFile, JSON.stringify(own), { flag: 'wx', mode: 0o600 });
      return () => rmSync(lockFile, { force: true });
    } catch (error) {
      if (!isErrorCode(error, 'EEXIST')) throw error;
      const owner = findLockOwner(lockFile);
      if (owner) {
        throw new DevLockedError(
          `Another npm run dev is running on ${dirname(lockFile)} (process ${owner.pid}). ` +
            'Stop it first, or set LOCAL_DIR to give this one a directory of its own.',
        );
      }
      rmSync(lockFile, { force: true });
    }
  }
}

/** The running process that holds the lock; null if there is none. */
export function findLockOwner(lockFile: string): ProcessIdentity | null {
  try {
    const owner = processIdentityShape.parse(JSON.parse(readFileSync(lockFile, 'utf8')));
    return isRunning(owner) ? owner : null;
  } catch {
    // Missing, or truncated by a crash: nobody holds it.
    return null;
  }
}

function isErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseJson } from '../../platform/errors/parseJson.ts';
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
  // A lock is there with its content, or not at all.
  const draft = `${lockFile}.${own.pid}`;
  writeFileSync(draft, JSON.stringify(own), { mode: 0o600 });
  try {
    while (!tryLink(draft, lockFile)) {
      refuseIfHeld(lockFile);
      removeDeadLock(lockFile);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    const owner = readLock(lockFile);
    if (owner?.pid === own.pid && owner.startedAt === own.startedAt) rmSync(lockFile, { force: true });
  };
}

/**
 * The running process that holds the lock; null if there is none.
 *
 * @throws Error if the lock cannot be read.
 */
export function findLockOwner(lockFile: string): ProcessIdentity | null {
  const owner = readLock(lockFile);
  return owner && isRunning(owner) ? owner : null;
}

/**
 * Only one process at a time may do this. Of two, the slower one would otherwise remove the new lock of the faster one. A process that dies
 * meanwhile leaves a dead lock of this second kind, which is removed in the same way.
 */
function removeDeadLock(lockFile: string): void {
  const release = lockDevDirectory(`${lockFile}.removal`);
  try {
    refuseIfHeld(lockFile);
    rmSync(lockFile, { force: true });
  } finally {
    release();
  }
}

function refuseIfHeld(lockFile: string): void {
  const owner = findLockOwner(lockFile);
  if (!owner) return;
  throw new DevLockedError(
    `Another npm run dev is running on ${dirname(lockFile)} (process ${owner.pid}). ` +
      'Stop it first, or set LOCAL_DIR to give this one a directory of its own.',
  );
}

/** Whoever wrote the lock; null if there is none, or if its content is damaged, as after a crash of the machine. */
function readLock(lockFile: string): ProcessIdentity | null {
  try {
    const parsed = processIdentityShape.safeParse(parseJson(readFileSync(lockFile, 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** False if there is such a file already. */
function tryLink(existing: string, path: string): boolean {
  try {
    linkSync(existing, path);
    return true;
  } catch (error) {
    if (isErrorCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function isErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

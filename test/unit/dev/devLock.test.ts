import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DevLockedError, findLockOwner, lockDevDirectory } from '../../../src/cli/dev/devLock.ts';
import { findProcess } from '../../../src/platform/supervision/processIdentity.ts';

let directory: string;
let lockFile: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'agreements-lock-'));
  lockFile = join(directory, 'stack', 'dev.lock');
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('lockDevDirectory', () => {
  test('a directory in use is refused with the process that has it, and free again afterwards', () => {
    const unlock = lockDevDirectory(lockFile);
    expect(() => lockDevDirectory(lockFile)).toThrow(DevLockedError);
    expect(() => lockDevDirectory(lockFile)).toThrow(`process ${process.pid}`);
    unlock();
    expect(findLockOwner(lockFile)).toBeNull();
    lockDevDirectory(lockFile)();
  });

  test('the lock of a process that was killed counts for nothing', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const identity = findProcess(child.pid ?? 0);
    lockDevDirectory(lockFile)();
    writeFileSync(lockFile, JSON.stringify(identity));
    expect(() => lockDevDirectory(lockFile)).toThrow(DevLockedError);

    child.kill('SIGKILL');
    await once(child, 'exit');
    lockDevDirectory(lockFile)();
  });

  test('a process id that now belongs to another program counts for nothing', () => {
    lockDevDirectory(lockFile)();
    writeFileSync(lockFile, JSON.stringify({ pid: process.pid, startedAt: '1' }));
    lockDevDirectory(lockFile)();
  });

  test('a lock that was cut off counts for nothing', () => {
    lockDevDirectory(lockFile)();
    writeFileSync(lockFile, '{"pid":');
    lockDevDirectory(lockFile)();
  });
});

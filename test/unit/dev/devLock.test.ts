import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DevLockedError, findLockOwner, lockDevDirectory } from '../../../src/cli/dev/devLock.ts';
import { findProcess } from '../../../src/platform/supervision/processIdentity.ts';
import { waitUntil } from '../../support/waitUntil.ts';

let directory: string;
let lockFile: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'agreements-lock-'));
  lockFile = join(directory, 'stack', 'dev.lock');
});
afterEach(() => rmSync(directory, { recursive: true }));

const dead = JSON.stringify({ pid: process.pid, startedAt: '1' });

function write(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

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
    write(lockFile, dead);
    lockDevDirectory(lockFile)();
  });

  test.each(['{"pid":', ''])('a damaged lock counts for nothing: %j', (content) => {
    write(lockFile, content);
    lockDevDirectory(lockFile)();
  });

  test('a lock that cannot be read counts as one', () => {
    mkdirSync(lockFile, { recursive: true });
    expect(() => findLockOwner(lockFile)).toThrow('EISDIR');
    expect(() => lockDevDirectory(lockFile)).toThrow('EISDIR');
  });

  test('a dead lock is removed by one process at a time', () => {
    write(lockFile, dead);
    const release = lockDevDirectory(`${lockFile}.removal`);
    expect(() => lockDevDirectory(lockFile)).toThrow(DevLockedError);
    expect(readFileSync(lockFile, 'utf8')).toBe(dead);
    release();
    lockDevDirectory(lockFile)();
  });

  test('a process that died in removing a dead lock is no obstacle, and nothing is left behind', () => {
    write(lockFile, dead);
    write(`${lockFile}.removal`, dead);
    const unlock = lockDevDirectory(lockFile);
    expect(findLockOwner(lockFile)).toEqual(findProcess(process.pid));
    unlock();
    expect(readdirSync(dirname(lockFile))).toEqual([]);
  });

  test('a lock that another process has taken is not released', () => {
    const unlock = lockDevDirectory(lockFile);
    writeFileSync(lockFile, dead);
    unlock();
    expect(existsSync(lockFile)).toBe(true);
  });

  test('of many processes that find a dead lock at the same time, one gets it', async () => {
    write(lockFile, dead);
    const begin = join(directory, 'begin');
    const program = join(directory, 'program.ts');
    const module = pathToFileURL(join(import.meta.dirname, '../../../src/cli/dev/devLock.ts')).href;
    writeFileSync(
      program,
      `import { existsSync } from 'node:fs';
      import { lockDevDirectory } from '${module}';
      console.log('up');
      while (!existsSync('${begin}'));
      try { lockDevDirectory('${lockFile}'); console.log('locked'); }
      catch (error) { console.log(error.name); }
      setInterval(() => {}, 1_000);`,
    );
    const lines: string[] = [];
    const said = (...words: string[]) => lines.filter((line) => words.includes(line)).length;
    const children = Array.from({ length: 4 }, () => {
      const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
      createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
      return { child, ended: once(child, 'exit') };
    });
    try {
      await waitUntil('all are up', () => said('up') === children.length);
      writeFileSync(begin, '');
      await waitUntil('all have tried', () => said('locked', 'DevLockedError') === children.length);
      expect(said('locked')).toBe(1);
    } finally {
      for (const { child, ended } of children) {
        child.kill('SIGKILL');
        await ended;
      }
    }
  });
});

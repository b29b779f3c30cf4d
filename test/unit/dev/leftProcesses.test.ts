import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProcessList, endLeftProcesses } from '../../../src/cli/dev/leftProcesses.ts';
import { findProcess } from '../../../src/platform/supervision/processIdentity.ts';

let directory: string;
let file: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'agreements-left-'));
  file = join(directory, 'processes.json');
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(directory, { recursive: true });
});

function startStayer(): ChildProcess & { pid: number } {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true });
  children.push(child);
  if (child.pid === undefined) throw new Error('the process did not start');
  return Object.assign(child, { pid: child.pid });
}

describe('endLeftProcesses', () => {
  test('listed processes that still run are ended', async () => {
    const [first, second] = [startStayer(), startStayer()];
    const list = createProcessList(file);
    list.note('the worker', first.pid);
    list.note('the chain 59141', second.pid);

    expect(await endLeftProcesses(file)).toEqual(['the worker', 'the chain 59141']);
    expect([findProcess(first.pid), findProcess(second.pid)]).toEqual([null, null]);
    expect(await endLeftProcesses(file)).toEqual([]);
  });

  test('a process that only has the number of one on the list is left alone', async () => {
    const stayer = startStayer();
    writeFileSync(file, JSON.stringify({ 'the worker': { pid: stayer.pid, startedAt: '1' } }));
    expect(await endLeftProcesses(file)).toEqual([]);
    expect(findProcess(stayer.pid)).not.toBeNull();
  });

  test('without a list nothing happens', async () => {
    expect(await endLeftProcesses(file)).toEqual([]);
  });
});

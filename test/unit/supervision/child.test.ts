import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync } from 'node:fs';
import { getPriority } from 'node:os';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, test } from 'vitest';
import { type Child, describeExit, startChild } from '../../../src/platform/supervision/child.ts';
import { findProcess } from '../../../src/platform/supervision/processIdentity.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { createPrograms, sourceUrl } from './programs.ts';

const programs = createPrograms();
afterAll(() => programs.dispose());

const stays = `console.log('up'); setInterval(() => {}, 1_000);`;

async function startAndHear(source: string): Promise<{ child: Child; firstLine: string; lines: string[] }> {
  const lines: string[] = [];
  const child = startChild({
    entry: programs.write(source),
    env: process.env,
    onLine: (line) => lines.push(line),
  });
  const firstLine = await waitUntil('the child says something', () => lines[0]);
  return { child, firstLine, lines };
}

const isGone = (pid: number) => waitUntil(`process ${pid} is gone`, () => findProcess(pid) === null);

const saysNiceness = `
  import { existsSync, readFileSync } from 'node:fs';
  import { getPriority } from 'node:os';
  const group = '/proc/self/autogroup';
  const ofGroup = () => existsSync(group) ? readFileSync(group, 'utf8').trim().split(' ').at(-1) : getPriority();
  setTimeout(() => console.log(getPriority() + ' ' + ofGroup()), 300);`;

describe('startChild', () => {
  test('a child gives way to others as far as it is told', async () => {
    const entry = programs.write(saysNiceness);
    const lines: string[] = [];
    const start = (niceness?: number) =>
      startChild({ entry, env: process.env, onLine: (line) => lines.push(line), niceness }).exited;
    await start();
    await start(2);
    const nicer = Math.min(19, getPriority() + 2);
    // A group of its own begins with a niceness of 0, and is never given a lower one.
    const ofGroup = existsSync('/proc/self/autogroup') ? Math.max(0, getPriority()) : getPriority();
    expect(lines).toEqual([`${getPriority()} ${ofGroup}`, `${nicer} ${nicer}`]);
  });

  test('a child of a child that gives way does the same', async () => {
    const entry = programs.write(saysNiceness);
    const between = programs.write(`
      import { startChild } from '${sourceUrl('supervision/child.ts')}';
      await startChild({ entry: '${entry}', env: process.env }).exited;`);
    const lines: string[] = [];
    const onLine = (line: string) => lines.push(line);
    await startChild({ entry: between, env: process.env, onLine, niceness: 2 }).exited;
    const nicer = Math.min(19, getPriority() + 2);
    expect(lines).toEqual([`${nicer} ${nicer}`]);
  });

  test('children that start together all give way, also without special rights', async () => {
    const entry = programs.write(`
      import { existsSync, readFileSync } from 'node:fs';
      import { getPriority } from 'node:os';
      const group = '/proc/self/autogroup';
      const isWeighed = () => !existsSync(group) || readFileSync(group, 'utf8').trim().endsWith(' ' + getPriority());
      const look = () => isWeighed() ? console.log(getPriority()) : setTimeout(look, 20);
      look();`);
    // Without its rights, if another user can read what is needed.
    const between = programs.write(`
      import { closeSync, openSync } from 'node:fs';
      import { startChild } from '${sourceUrl('supervision/child.ts')}';
      const nobody = 65534;
      const isReadable = () => {
        process.seteuid(nobody);
        try {
          for (const file of ['${entry}', process.execPath]) closeSync(openSync(file));
          return true;
        } catch {
          return false;
        } finally {
          process.seteuid(0);
        }
      };
      if (process.getuid?.() === 0 && isReadable()) process.setuid(nobody);
      const start = () => startChild({ entry: '${entry}', env: process.env, niceness: 2 }).exited;
      await Promise.all([start(), start(), start()]);`);
    chmodSync(dirname(entry), 0o755);
    const lines: string[] = [];
    const onLine = (line: string) => lines.push(line);
    await startChild({ entry: between, env: process.env, onLine }).exited;
    expect(lines).toEqual(Array(3).fill(String(Math.min(19, getPriority() + 2))));
  });

  test('a child that is asked to stop may put its things away', async () => {
    const { child, lines } = await startAndHear(
      `process.on('SIGTERM', () => { console.log('tidy'); process.exit(7); }); ${stays}`,
    );
    expect(await child.stop()).toEqual({ code: 7, signal: null });
    expect(lines).toEqual(['up', 'tidy']);
  });

  test('a killed child takes its own children along, which would hold its output open', async () => {
    const { child, firstLine } = await startAndHear(`
      import { spawn } from 'node:child_process';
      console.log(spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' }).pid);
      setInterval(() => {}, 1_000);`);
    process.kill(child.pid, 'SIGKILL');
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await isGone(Number(firstLine));
  });

  test.each([
    ['stops by itself', stays],
    ['that hangs ends too', `process.on('SIGTERM', () => { for (;;); }); ${stays}`],
  ])('when the process that started it is killed, a child %s', async (_, source) => {
    const stayer = programs.write(source);
    const starter = programs.write(`
      import { startChild } from '${sourceUrl('supervision/child.ts')}';
      const child = startChild({ entry: '${stayer}', env: process.env, onLine: () => console.log(child.pid) });`);
    const parent = spawn(process.execPath, [starter], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(createInterface({ input: parent.stdout }), 'line');
    const pid = Number(line);
    expect(findProcess(pid)).not.toBeNull();

    parent.kill('SIGKILL');
    await isGone(pid);
  });

  test.each([
    ['thrown', /E2BIG/, process.execPath, { LARGE: 'x'.repeat(8 * 1024 * 1024) }],
    ['reported later', /ENOENT/, '/nonexistent/node', {}],
  ])(
    'a child that cannot be started, which is %s, ends with the reason',
    async (_, reason, program, more) => {
      const execPath = process.execPath;
      process.execPath = program;
      try {
        const child = startChild({ entry: programs.write(stays), env: { ...process.env, ...more } });
        const exit = await child.exited;
        expect(exit).toEqual({ code: null, signal: null, failure: expect.stringMatching(reason) });
        expect(describeExit(exit)).toBe(`could not be started: ${exit.failure}`);
        expect(child.pid).toBe(0);
        expect(await child.stop()).toEqual(exit);
      } finally {
        process.execPath = execPath;
      }
    },
  );

  test('a child that has nothing left to do ends, although it watches its parent', async () => {
    const { child } = await startAndHear(`console.log('done');`);
    expect(await child.exited).toEqual({ code: 0, signal: null });
  });

  test('an interrupt to the group of this process does not reach the child', async () => {
    const stayer = programs.write(stays);
    const starter = programs.write(`
      import { startChild } from '${sourceUrl('supervision/child.ts')}';
      process.on('SIGINT', async () => { console.log((await child.stop()).signal); process.exit(0); });
      const child = startChild({ entry: '${stayer}', env: process.env, onLine: (line) => console.log(line) });`);
    const parent = spawn(process.execPath, [starter], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    createInterface({ input: parent.stdout }).on('line', (line) => lines.push(line));
    await waitUntil('the child is up', () => lines.includes('up'));

    process.kill(-(parent.pid ?? 0), 'SIGINT');
    await once(parent, 'close');
    // The parent's request ended the child, not the interrupt.
    expect(lines).toEqual(['up', 'SIGTERM']);
  });
});

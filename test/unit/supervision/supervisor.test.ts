import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Child, type Exit, startChild } from '../../../src/platform/supervision/child.ts';
import { findProcess } from '../../../src/platform/supervision/processIdentity.ts';
import { type RestartLimit, stopInOrder, supervise } from '../../../src/platform/supervision/supervisor.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { createPrograms } from './programs.ts';

const programs = createPrograms();
afterAll(() => programs.dispose());

/** Without `settledMs` no process ever counts as settled, however slow the machine is. */
function watch(source: string, restarts?: RestartLimit, settledMs = Number.POSITIVE_INFINITY) {
  const entry = programs.write(source);
  const lines: string[] = [];
  const started: Child[] = [];
  const ends: { exit: Exit; delayMs: number }[] = [];
  const givenUp = Promise.withResolvers<Exit>();
  const supervisor = supervise({
    start: () => startChild({ entry, env: process.env, onLine: (line) => lines.push(line) }),
    onStarted: (child) => started.push(child),
    onRestart: (exit, delayMs) => ends.push({ exit, delayMs }),
    onGivenUp: givenUp.resolve,
    ...(restarts && { restarts }),
    settledMs,
  });
  return { supervisor, lines, started, ends, givenUp: givenUp.promise };
}

describe('supervise', () => {
  test('a process that is killed is started again', async () => {
    const { supervisor, started, ends } = watch('setInterval(() => {}, 1_000)');
    process.kill(started[0]?.pid ?? 0, 'SIGKILL');
    const second = await waitUntil('it runs again', () => started[1]);
    expect(ends).toMatchObject([{ exit: { signal: 'SIGKILL' } }]);
    expect(findProcess(second.pid)).not.toBeNull();
    await supervisor.stop();
    expect(findProcess(second.pid)).toBeNull();
  });

  test('a process that keeps ending is started later and later, and then given up', async () => {
    const { started, ends, givenUp } = watch('process.exit(3)', {
      most: 2,
      withinMs: 60_000,
      longestDelayMs: 5_000,
    });
    expect(await givenUp).toEqual({ code: 3, signal: null });
    expect(started).toHaveLength(3);
    expect(ends.map(({ delayMs }) => delayMs)).toEqual([200, 400]);
  });

  test('a process without a limit is started again however often it ends, no later than is said', async () => {
    const { supervisor, started, ends } = watch('process.exit(3)', {
      most: Number.POSITIVE_INFINITY,
      withinMs: 60_000,
      longestDelayMs: 300,
    });
    await waitUntil('it was started eight times', () => started.length >= 8);
    expect(ends.map(({ delayMs }) => delayMs)).toEqual([200, ...ends.slice(1).map(() => 300)]);
    await supervisor.stop();
  });

  test('a process that cannot be started for a while is started when it can be', async () => {
    const entry = programs.write('setInterval(() => {}, 1_000)');
    const tooLarge = { LARGE: 'x'.repeat(8 * 1024 * 1024) };
    const ends: Exit[] = [];
    const started: Child[] = [];
    const supervisor = supervise({
      start: () => startChild({ entry, env: ends.length < 2 ? tooLarge : process.env }),
      onStarted: (child) => started.push(child),
      onRestart: (exit) => ends.push(exit),
      onGivenUp: (exit) => expect.fail(`given up: ${exit.failure}`),
    });
    const third = await waitUntil('it runs', () => started[2]);
    expect(findProcess(third.pid)).not.toBeNull();
    expect(ends.map(({ failure }) => failure)).toEqual([
      expect.stringContaining('E2BIG'),
      expect.stringContaining('E2BIG'),
    ]);
    await supervisor.stop();
  });

  test('a process that had settled is started again without the delays of earlier ends', async () => {
    const limit = { most: Number.POSITIVE_INFINITY, withinMs: 600_000, longestDelayMs: 30_000 };
    const { supervisor, ends } = watch('process.exit(75)', limit, 0);
    await waitUntil('it has ended four times', () => ends.length >= 4);
    expect(ends.slice(0, 4).map(({ delayMs }) => delayMs)).toEqual([200, 200, 200, 200]);
    await supervisor.stop();
  });

  test('a process that is stopped stays stopped, also while it waits to be started again', async () => {
    const { supervisor, started, ends } = watch('process.exit(3)');
    await waitUntil('it waits to be started again', () => ends.length > 0);
    const before = started.length;
    await supervisor.stop();
    expect(started).toHaveLength(before);
  });
});

describe('stopInOrder', () => {
  test('a process that ends before its turn is not started again', async () => {
    const leave = join(programs.directory, 'leave');
    const slow = watch(`
      import { existsSync } from 'node:fs';
      process.on('SIGTERM', () => setInterval(() => existsSync('${leave}') && process.exit(0), 20));
      setInterval(() => {}, 1_000);
      console.log('up');`);
    const quick = watch('setInterval(() => {}, 1_000)');
    await waitUntil('the first hears signals', () => slow.lines.includes('up'));
    const stopped: string[] = [];
    const end = stopInOrder(
      new Map([
        ['slow', slow.supervisor],
        ['quick', quick.supervisor],
      ]),
      (name) => stopped.push(name),
    );

    const [child] = quick.started;
    process.kill(child?.pid ?? 0, 'SIGTERM');
    expect(await child?.exited).toMatchObject({ signal: 'SIGTERM' });
    expect(quick.ends).toEqual([]);
    expect(stopped).toEqual([]);
    writeFileSync(leave, '');
    await end;
    expect(stopped).toEqual(['slow', 'quick']);
    expect(slow.ends).toEqual([]);
    expect(quick.started).toHaveLength(1);
  });
});

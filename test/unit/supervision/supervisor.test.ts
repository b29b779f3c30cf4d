import { afterAll, describe, expect, test } from 'vitest';
import { type Child, type Exit, startChild } from '../../../src/api/supervision/child.ts';
import { findProcess } from '../../../src/api/supervision/processIdentity.ts';
import { supervise } from '../../../src/api/supervision/supervisor.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { createPrograms } from './programs.ts';

const programs = createPrograms();
afterAll(() => programs.dispose());

function watch(source: string, restarts?: { most: number; withinMs: number }) {
  const entry = programs.write(source);
  const started: Child[] = [];
  const ends: { exit: Exit; delayMs: number }[] = [];
  const givenUp = Promise.withResolvers<Exit>();
  const supervisor = supervise({
    start: () => startChild({ entry, env: process.env, onLine: () => {} }),
    onStarted: (child) => started.push(child),
    onRestart: (exit, delayMs) => ends.push({ exit, delayMs }),
    onGivenUp: givenUp.resolve,
    ...(restarts && { restarts }),
  });
  return { supervisor, started, ends, givenUp: givenUp.promise };
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
    const { started, ends, givenUp } = watch('process.exit(3)', { most: 2, withinMs: 60_000 });
    expect(await givenUp).toEqual({ code: 3, signal: null });
    expect(started).toHaveLength(3);
    expect(ends.map(({ delayMs }) => delayMs)).toEqual([200, 400]);
  });

  test('a process that is stopped stays stopped, also while it waits to be started again', async () => {
    const { supervisor, started, ends } = watch('process.exit(3)');
    await waitUntil('it waits to be started again', () => ends.length > 0);
    const before = started.length;
    await supervisor.stop();
    expect(started).toHaveLength(before);
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { createPrograms, sourceUrl } from './programs.ts';

const programs = createPrograms();
afterAll(() => programs.dispose());

/** Runs a program that calls `leaveOnSignals`, and signals it at its first line. Returns how it ended. */
async function signalAfter(steps: string, signal: NodeJS.Signals): Promise<unknown> {
  const program = programs.write(`
    import { leaveOnSignals } from '${sourceUrl('supervision/leaveOnSignals.ts')}';
    const yieldSignals = leaveOnSignals();
    setInterval(() => {}, 1_000);
    ${steps}
    setImmediate(() => console.log('up'));`);
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(createInterface({ input: child.stdout }), 'line');
  child.kill(signal);
  return await ended;
}

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends the process with 0', async (signal) => {
  expect(await signalAfter('', signal)).toEqual([0, null]);
});

test('a signal that is left to other code ends the process until that code handles it', async () => {
  expect(await signalAfter('yieldSignals();', 'SIGTERM')).toEqual([0, null]);
});

test('a signal that other code handles is left to it', async () => {
  const handle = `yieldSignals(); process.on('SIGTERM', () => setImmediate(() => process.exit(7)));`;
  expect(await signalAfter(handle, 'SIGTERM')).toEqual([7, null]);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('support/serviceProgram.ts', import.meta.url));
const inOrder = ['closing second', 'closed second', 'closing first', 'closed first'];

/**
 * Runs the program, with a channel to this process if it is supervised, and sends it `signal`, if given, once it has started. Returns its
 * output.
 */
async function run(options: { fault?: string; signal?: NodeJS.Signals; isSupervised?: boolean }) {
  const child = spawn(process.execPath, [program, ...(options.fault ? [options.fault] : [])], {
    stdio: ['ignore', 'pipe', 'inherit', options.isSupervised ? 'ipc' : 'ignore'],
  });
  const printed: string[] = [];
  const messages: string[] = [];
  createInterface({ input: child.stdout ?? expect.fail('without output') }).on('line', (line) => {
    if (!line.startsWith('{')) return printed.push(line);
    const { msg } = JSON.parse(line);
    messages.push(msg);
    if (msg === 'started' && options.signal) child.kill(options.signal);
  });
  const [code] = await once(child, 'close');
  return { code, printed, messages };
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s closes the parts in reverse order and ends with 0',
  async (signal) => {
    const { code, printed, messages } = await run({ signal });
    expect(printed).toEqual(inOrder);
    expect(code).toBe(0);
    expect(messages).toEqual(['started', 'stopping', 'stopped']);
  },
);

test('a start that fails because the process is stopping is no failure', async () => {
  const { code, printed, messages } = await run({ fault: 'stop at start' });
  expect(messages).toEqual(['stopping', 'the start was broken off', 'stopped']);
  expect(printed).toEqual(inOrder);
  expect(code).toBe(0);
});

test('a part that fails to close keeps no other open, and the process ends with 1', async () => {
  const { code, printed } = await run({ fault: 'fail second', signal: 'SIGTERM' });
  expect(printed).toEqual(['closing second', 'closing first', 'closed first']);
  expect(code).toBe(1);
});

test('a part that does not close in time is left, and the process ends with 1', async () => {
  const { code, printed, messages } = await run({ fault: 'hang second', signal: 'SIGTERM' });
  expect(printed).toEqual(['closing second']);
  expect(messages).toContain('shutdown is taking too long');
  expect(code).toBe(1);
});

test('a process that is asked again ends at once', async () => {
  const { code, printed } = await run({ fault: 'ask again second', signal: 'SIGTERM' });
  expect(printed).toEqual(['closing second']);
  expect(code).toBe(1);
});

test('a supervised process that is asked again closes its parts to the end', async () => {
  const { code, printed } = await run({ fault: 'ask again second', signal: 'SIGTERM', isSupervised: true });
  expect(printed).toEqual(inOrder);
  expect(code).toBe(0);
});

test.each([
  ['start', 'the service could not start'],
  ['rejection', 'unhandled rejection'],
  ['exception', 'uncaught exception'],
])(
  '%s: the error is logged, open resources are closed, and the process exits with 1',
  async (fault, message) => {
    const { code, printed, messages } = await run({ fault });
    expect(messages).toContain(message);
    expect(printed).toEqual(inOrder);
    expect(code).toBe(1);
  },
);

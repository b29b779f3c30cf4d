import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../support/waitUntil.ts';
import { createPrograms, sourceUrl } from './programs.ts';

const programs = createPrograms();
afterAll(() => programs.dispose());

const program = programs.write(`
  import { onStopRequest } from '${sourceUrl('supervision/stopSignals.ts')}';
  onStopRequest({
    stop: (cause) => console.log('stop', cause),
    force: () => { console.log('force'); process.exit(1); },
  });
  setInterval(() => {}, 1_000);
  console.log('up');`);

async function start(): Promise<{ child: ChildProcess; lines: string[] }> {
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  await waitUntil('it is up', () => lines.includes('up'));
  return { child, lines };
}

describe('onStopRequest', () => {
  test('one interrupt that arrives twice, from the terminal and from npm, is one request', async () => {
    const { child, lines } = await start();
    child.kill('SIGINT');
    await waitUntil('it heard the first', () => lines.includes('stop SIGINT'));
    child.kill('SIGINT');
    child.kill('SIGUSR2');
    // The last signal, which nothing handles, ended it. If the second interrupt had counted, the exit code
    // would be 1.
    expect(await once(child, 'exit')).toEqual([null, 'SIGUSR2']);
    expect(lines).toEqual(['up', 'stop SIGINT']);
  });

  test('a second request, made when the first had its effect, forces the end', async () => {
    const { child, lines } = await start();
    child.kill('SIGTERM');
    await waitUntil('it heard the first', () => lines.includes('stop SIGTERM'));
    const insisting = setInterval(() => child.kill('SIGTERM'), 300);
    const [code] = await once(child, 'exit').finally(() => clearInterval(insisting));
    expect(code).toBe(1);
    expect(lines.at(-1)).toBe('force');
  });
});

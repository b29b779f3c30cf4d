import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Child, startChild } from '../../src/platform/supervision/child.ts';

const root = new URL('../../', import.meta.url);
const overdueMs = 180_000;
const pollMs = 50;

/** Starts a program, by its absolute path or from the top level, and waits until it answers at an address. */
export async function startProgram(options: {
  entry: string;
  nodeFlags?: readonly string[];
  env: Readonly<Record<string, string>>;
  url: string;
}): Promise<Child> {
  const { entry, nodeFlags, env, url } = options;
  const lines: string[] = [];
  const child = startChild({
    entry: fileURLToPath(new URL(entry, root)),
    nodeFlags,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    onLine(line) {
      lines.push(line);
      lines.splice(0, lines.length - 20);
    },
  });
  let hasEnded = false;
  void child.exited.then(() => {
    hasEnded = true;
  });
  const startedAt = performance.now();
  for (;;) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return child;
    if (!hasEnded && performance.now() - startedAt < overdueMs) {
      await delay(pollMs);
      continue;
    }
    await child.kill();
    throw new Error(`${entry} does not answer:\n${lines.join('\n')}`);
  }
}

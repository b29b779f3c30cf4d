import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { inheritedEnvironment } from '../../support/inheritedEnvironment.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

/** A program of this project that was started as its users start it. */
export type Program = {
  pid: number;
  /** Everything it has printed so far, by lines. */
  lines: readonly string[];
  exited: Promise<Exit>;
  hasEnded(): boolean;
  signal(signal: NodeJS.Signals): void;
};

/** Starts an entry point with nothing in its environment but `env` and what every shell has. */
export function startProgram(
  entry: string,
  options: { env: Record<string, string>; words?: string[] },
): Program {
  const child = spawn(process.execPath, [entry, ...(options.words ?? [])], {
    cwd: root,
    env: {
      ...inheritedEnvironment(),
      NO_COLOR: '1',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => lines.push(line));
  }
  const exited = once(child, 'close').then(([code, signal]): Exit => ({ code, signal }));
  return {
    pid: child.pid ?? 0,
    lines,
    exited,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    signal: (signal) => void child.kill(signal),
  };
}

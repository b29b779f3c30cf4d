import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { isProgramName, type ProgramName } from '../../../src/cli/build/programs.ts';
import { inheritedEnvironment } from '../../support/inheritedEnvironment.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(`${root}package.json`, 'utf8')));

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

/** A program of this project, started as its users start it. */
export type Program = {
  pid: number;
  lines: readonly string[];
  exited: Promise<Exit>;
  hasEnded(): boolean;
  signal(signal: NodeJS.Signals): void;
};

/** The arguments that a program's npm script gives to Node. */
function wordsOf(name: ProgramName): string[] {
  const words = Object.values(scripts).map((script) => script.split(' '));
  const [, ...given] = words.find((each) => each.at(-2) === 'src/cli/run.ts' && each.at(-1) === name) ?? [];
  if (given.length === 0) throw new Error(`${name} has no npm script`);
  return given;
}

/**
 * Starts a program as its npm script does, or another file. Its environment is `env` and the variables that
 * every shell has.
 */
export function startProgram(
  program: ProgramName | `${string}.ts`,
  options: { env: Record<string, string>; words?: string[] },
): Program {
  const given = isProgramName(program) ? wordsOf(program) : [program];
  const child = spawn(process.execPath, [...given, ...(options.words ?? [])], {
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

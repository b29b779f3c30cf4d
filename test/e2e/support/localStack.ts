import { rm } from 'node:fs/promises';
import { type DevDirectory, findDevDirectory } from '../../../src/cli/dev/devDirectory.ts';
import { type DevStack, findDevStack } from '../../../src/cli/dev/devStack.ts';
import { readProcessList } from '../../../src/cli/dev/leftProcesses.ts';
import { findFreePort } from '../../../src/cli/devtools/freePort.ts';
import { isRunning, type ProcessIdentity } from '../../../src/platform/supervision/processIdentity.ts';
import { patienceMs } from '../../support/patience.ts';
import { makeScratchDirectory } from '../../support/scratchDirectory.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { type Program, startProgram } from './program.ts';

/** A directory that a test's development stacks use one after another. */
export type LocalStacks = {
  directory: DevDirectory;
  env: Record<string, string>;
  /** Runs `npm run dev` in the directory, and resolves once the stack has printed its address. */
  start(words?: string[]): Promise<LocalStack>;
  /** Ends all running stacks and removes the data. */
  dispose(): Promise<void>;
};

export type LocalStack = {
  program: Program;
  stack: DevStack;
  /** The stack's processes, by name. After a restart it is the new process. */
  processes(): Record<string, ProcessIdentity>;
};

export async function createLocalStacks(settings: Record<string, string> = {}): Promise<LocalStacks> {
  // Uses free ports: two stacks that start at the same time would collide on the default ports.
  const env: Record<string, string> = {
    ...settings,
    ...forksOfEnvironment(),
    LOCAL_DIR: await makeScratchDirectory('agreements-stack-'),
    PORT: String(await findFreePort()),
    INDEXER_PORT: String(await findFreePort()),
    INTERNAL_PORT: String(await findFreePort()),
    WORKER_INTERNAL_PORT: String(await findFreePort()),
  };
  const directory = findDevDirectory(env);
  const started: Program[] = [];
  return {
    directory,
    env,
    async start(words = []) {
      const program = startProgram('dev', { env, words });
      started.push(program);
      await waitUntil(
        'the stack is up',
        () => {
          if (program.hasEnded()) throw new Error(`the stack ended:\n${program.lines.join('\n')}`);
          return program.lines.some((line) => line.trim().startsWith('curl '));
        },
        patienceMs,
      );
      const stack = findDevStack(directory);
      if (!stack) throw new Error('the stack has not described itself');
      return { program, stack, processes: () => readProcessList(directory.processesFile) };
    },
    async dispose() {
      for (const program of started) {
        if (!program.hasEnded()) program.signal('SIGTERM');
        await program.exited;
      }
      await rm(directory.root, { recursive: true });
    },
  };
}

/** The public chains that the stacks fork, if the environment names any. */
function forksOfEnvironment(): Record<string, string> {
  const named = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[0].startsWith('FORK_URL_') && entry[1] !== undefined,
  );
  return Object.fromEntries(named);
}

/** The names of those processes that still run. */
export function listRunning(processes: Record<string, ProcessIdentity>): string[] {
  return Object.entries(processes)
    .filter(([, identity]) => isRunning(identity))
    .map(([name]) => name);
}

/** Kills one process of a stack as in a crash, and resolves when the stack has started it again. */
export async function killAndAwaitRestart(local: LocalStack, name: string): Promise<void> {
  const before = local.processes()[name];
  if (!before) throw new Error(`the stack has no process ${name}`);
  process.kill(before.pid, 'SIGKILL');
  await waitUntil(`${name} runs again`, () => {
    const now = local.processes()[name];
    return now !== undefined && now.pid !== before.pid && isRunning(now);
  });
}

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

/** A directory for development stacks of a test, one after another. */
export type LocalStacks = {
  directory: DevDirectory;
  env: Record<string, string>;
  /** Starts `npm run dev` there and resolves once it says how to call it. */
  start(words?: string[]): Promise<LocalStack>;
  /** Ends what is still running and removes the data. */
  dispose(): Promise<void>;
};

export type LocalStack = {
  program: Program;
  stack: DevStack;
  /** The processes that the stack has started, by name; a service that was started again is the new one. */
  processes(): Record<string, ProcessIdentity>;
};

export async function createLocalStacks(settings: Record<string, string> = {}): Promise<LocalStacks> {
  // Ports of its own, since two stacks that start at the same time may meet on the usual ones.
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

/** The public chains that the stacks are to continue, where whoever runs the tests names some. */
function forksOfEnvironment(): Record<string, string> {
  const named = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[0].startsWith('FORK_URL_') && entry[1] !== undefined,
  );
  return Object.fromEntries(named);
}

/** Which of these still run, by name. */
export function listRunning(processes: Record<string, ProcessIdentity>): string[] {
  return Object.entries(processes)
    .filter(([, identity]) => isRunning(identity))
    .map(([name]) => name);
}

/** Kills one process of a stack as a crash would, and resolves when it has been started again. */
export async function killAndAwaitRestart(local: LocalStack, name: string): Promise<void> {
  const before = local.processes()[name];
  if (!before) throw new Error(`the stack has no process ${name}`);
  process.kill(before.pid, 'SIGKILL');
  await waitUntil(`${name} runs again`, () => {
    const now = local.processes()[name];
    return now !== undefined && now.pid !== before.pid && isRunning(now);
  });
}

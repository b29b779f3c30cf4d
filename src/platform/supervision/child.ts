import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { getPriority, platform, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { signalGroup } from './processIdentity.ts';

const dieWithParent = fileURLToPath(new URL('dieWithParent.ts', import.meta.url));
const defaultStopTimeoutMs = 20_000;

export type ChildOptions = {
  /** The program: a file for Node to run. */
  entry: string;
  nodeFlags?: readonly string[] | undefined;
  /** The whole environment of the child. */
  env: NodeJS.ProcessEnv;
  /** Receives each line of the child's output. Without it the child writes to this process's output. */
  onLine?: ((line: string) => void) | undefined;
  /** How long it may take to stop before it is killed; 20 seconds by default. */
  stopTimeoutMs?: number | undefined;
  /** How much nicer than this process it is, 0 by default: it gets less of a processor that others need too. */
  niceness?: number | undefined;
};

export type Exit = {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** The reason why the process could not be started. */
  failure?: string;
};

/** A running Node process, leader of a process group of its own. */
export type Child = {
  /** 0 if the process could not be started. */
  pid: number;
  /** Resolves once the process is gone and all of its output was received. */
  exited: Promise<Exit>;
  /** Asks the child to stop (SIGTERM), and kills it if that takes too long. */
  stop(): Promise<Exit>;
  /** Kills the child and its own children at once (SIGKILL). */
  kill(): Promise<Exit>;
};

/**
 * Starts a Node process that ends with this one. It gets its own process group: an interrupt from the
 * terminal reaches only this process, which stops its children in order.
 */
export function startChild(options: ChildOptions): Child {
  const { onLine, stopTimeoutMs = defaultStopTimeoutMs, niceness = 0 } = options;
  const child = trySpawn(options);
  if (child instanceof Error) return notStarted(child);
  const { pid } = child;
  if (pid !== undefined) giveWay({ child, pid }, niceness);
  // Its own children are useless without it, and would hold its output open.
  child.once('exit', () => pid !== undefined && signalGroup(pid, 'SIGKILL'));
  const exited = waitForExit(child);
  if (onLine) for (const stream of [child.stdout, child.stderr]) if (stream) forwardLines(stream, onLine);

  const kill = () => {
    if (pid !== undefined) signalGroup(pid, 'SIGKILL');
    return exited;
  };
  return {
    pid: pid ?? 0,
    exited,
    async stop() {
      child.kill('SIGTERM');
      const overdue = setTimeout(kill, stopTimeoutMs);
      return await exited.finally(() => clearTimeout(overdue));
    },
    kill,
  };
}

/** How a process ended, in words for a log. */
export function describeExit({ code, signal, failure }: Exit): string {
  if (failure !== undefined) return `could not be started: ${failure}`;
  return signal ? `was ended by ${signal}` : `ended with code ${code}`;
}

/** Some failures to start, such as too many processes, are thrown here; others are reported by an event. */
function trySpawn({ entry, nodeFlags = [], env, onLine }: ChildOptions): ChildProcess | Error {
  const output = onLine ? 'pipe' : 'inherit';
  try {
    return spawn(process.execPath, [...nodeFlags, '--import', dieWithParent, entry], {
      env,
      detached: true,
      stdio: ['ignore', output, output, 'ipc'],
    });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

const nicest = 19;

/** From users without special rights, Linux takes one change of any group in a tenth of a second. */
const groupPauseMs = 110;

/**
 * Its threads start later, and inherit the niceness. It leads a session of its own: Linux with automatic groups weighs
 * sessions against each other, and processes only within one. A session does not inherit the niceness of the process that
 * starts it.
 */
function giveWay({ child, pid }: { child: ChildProcess; pid: number }, niceness: number): void {
  const weighGroup = (total: number) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    try {
      writeFileSync(`/proc/${pid}/autogroup`, String(total));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EAGAIN')
        setTimeout(weighGroup, groupPauseMs, total).unref();
    }
  };
  try {
    const total = Math.min(nicest, getPriority() + niceness);
    setPriority(pid, total);
    if (total > 0 && platform() === 'linux') weighGroup(total);
  } catch {
    // It has ended already, or the system has no priorities: it runs like the others.
  }
}

function notStarted({ message }: Error): Child {
  const exit = { code: null, signal: null, failure: message };
  const exited = Promise.resolve(exit);
  return { pid: 0, exited, stop: () => exited, kill: () => exited };
}

async function waitForExit(child: ChildProcess): Promise<Exit> {
  try {
    // Unlike `exit`, this also waits for the output.
    const [code, signal] = await once(child, 'close');
    return { code, signal };
  } catch (error) {
    // A process that was started may report other errors, for example about its channel.
    if (child.pid !== undefined) return await waitForExit(child);
    return { code: null, signal: null, failure: error instanceof Error ? error.message : String(error) };
  }
}

function forwardLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  createInterface({ input: stream }).on('line', onLine);
}

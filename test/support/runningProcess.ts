import { findFreePort } from '../../src/cli/devtools/freePort.ts';
import type { Child } from '../../src/platform/supervision/child.ts';
import { patienceMs } from './patience.ts';
import { readyLine, type ServiceKind, type ServiceStack } from './serviceStack.ts';
import { waitUntil } from './waitUntil.ts';

/** A running process of the service; only serving processes use `baseUrl`. */
export type RunningProcess = { child: Child; lines: readonly string[]; baseUrl: string };

/**
 * Starts a process of the service, and waits until it logs that it runs. Calls `onStart` at once, because the
 * caller ends the process.
 *
 * @throws Error with the printed lines if it ends before that.
 */
export async function startRunning(
  stack: ServiceStack,
  options: {
    kind: ServiceKind;
    env?: NodeJS.ProcessEnv;
    nodeFlags?: readonly string[];
    onStart(child: Child): void;
  },
): Promise<RunningProcess> {
  const { kind, env = {}, nodeFlags = [], onStart } = options;
  const port = String(await findFreePort());
  const lines: string[] = [];
  const child = stack.start(kind, {
    env: { PORT: port, ...env },
    nodeFlags,
    onLine: (line) => lines.push(line),
  });
  onStart(child);
  let hasEnded = false;
  void child.exited.then(() => {
    hasEnded = true;
  });
  await waitUntil(
    `the ${kind} runs`,
    () => {
      if (hasEnded) throw new Error(lines.join('\n'));
      return lines.some((line) => readyLine.test(line));
    },
    patienceMs,
  );
  return { child, lines, baseUrl: `http://127.0.0.1:${port}` };
}

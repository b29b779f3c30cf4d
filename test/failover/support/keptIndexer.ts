import { findFreePort } from '../../../src/cli/devtools/freePort.ts';
import { type Child, describeExit } from '../../../src/platform/supervision/child.ts';
import { supervise, unlimitedRestarts } from '../../../src/platform/supervision/supervisor.ts';
import type { ServiceStack } from '../../support/serviceStack.ts';
import { waitUntil } from '../../support/waitUntil.ts';

export type KeptIndexer = Awaited<ReturnType<typeof keepIndexer>>;

const patienceMs = 300_000;

/** An indexer that starts again whenever it ends, as with `npm start`. */
export async function keepIndexer(
  stack: ServiceStack,
  options: { name: string; databaseUrl: string; onLine(line: string): void },
) {
  const { name, databaseUrl, onLine } = options;
  const INDEXER_PORT = String(await findFreePort());
  const ends: string[] = [];
  const lines: string[] = [];
  let child: Child | undefined;
  const { stop, kill } = supervise({
    start: () =>
      stack.start('indexer', {
        env: { DATABASE_URL: databaseUrl, INDEXER_PORT },
        onLine(line) {
          lines.push(line);
          onLine(`${name}: ${line}`);
        },
      }),
    onStarted: (started) => {
      child = started;
    },
    onRestart: (exit) => ends.push(`${name} ${describeExit(exit)}`),
    onGivenUp() {},
    restarts: unlimitedRestarts,
  });
  const count = (text: string) => lines.filter((line) => line.includes(text)).length;
  return {
    stop,
    kill,
    /** How each of its processes ended by itself. */
    ends,
    signal: (signal: NodeJS.Signals) => process.kill(child?.pid ?? 0, signal),
    /** The number of printed lines with this text. */
    count,
    async awaitEnd(): Promise<void> {
      await waitUntil(`${name} has ended`, () => ends.length > 0, patienceMs);
    },
    async awaitLine(text: string, times = 1): Promise<void> {
      await waitUntil(`${name} says “${text}”`, () => count(text) >= times, patienceMs);
    },
  };
}

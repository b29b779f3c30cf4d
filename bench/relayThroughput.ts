import type { Child } from '../src/platform/supervision/child.ts';
import type { ServiceKind, ServiceStack } from '../test/support/serviceStack.ts';
import { waitUntil } from '../test/support/waitUntil.ts';
import { findDatabaseServer, readDatabaseSeconds, readProcessorSeconds } from './processorTime.ts';

/** Mined transactions, the seconds that they took, and the rate per second. */
export type Throughput = {
  mined: number;
  seconds: number;
  perSecond: number;
  /**
   * Processor time per transaction, by process, in milliseconds: it depends little on the rest of the
   * machine.
   */
  cpuMs: Readonly<Record<string, number>>;
};

/** The stack with its processes, by name. */
export type Running = { stack: ServiceStack; children: ReadonlyMap<ServiceKind, Child> };

const warmUpShare = 0.05;

/**
 * Runs `work` until it ends by itself or the time is up. The beginning and the end do not count, because less
 * is under way then.
 */
export async function measureThroughput(
  running: Running,
  { seconds, total }: { seconds: number; total: number },
  work: (isOver: () => boolean) => Promise<unknown>,
): Promise<Throughput> {
  const before = await countMined(running.stack);
  const giveUpAt = performance.now() + seconds * 1_000;
  let hasFailed = false;
  const isOver = () => hasFailed || performance.now() > giveUpAt;
  const working = work(isOver);
  const watching = watch(running, { before, total, seconds, giveUpAt, isOver });
  // Throws the first failure once everything has stopped.
  const noteFailure = () => {
    hasFailed = true;
  };
  working.catch(noteFailure);
  watching.catch(noteFailure);
  const outcome = Promise.all([watching, working]);
  await Promise.allSettled([watching, working]);
  const [throughput] = await outcome;
  return throughput;
}

async function watch(
  { stack, children }: Running,
  part: { before: number; total: number; seconds: number; giveUpAt: number; isOver(): boolean },
): Promise<Throughput> {
  const { before, total, seconds, giveUpAt, isOver } = part;
  const isWarm = () => isOver() || performance.now() > giveUpAt - seconds * 1_000 * (1 - warmUpShare);
  const count = async () => (await countMined(stack)) - before;
  await waitUntil('the warm-up is over', isWarm);
  const startedAt = performance.now();
  const readCpuMs = await startProcessorTime({ stack, children });
  const atStart = await count();
  const end = total * (1 - warmUpShare);
  await waitUntil('the end', async () => isOver() || (await count()) >= end, 2 * seconds * 1_000);
  const mined = (await count()) - atStart;
  const lasted = (performance.now() - startedAt) / 1_000;
  return { mined, seconds: round(lasted), perSecond: round(mined / lasted), cpuMs: readCpuMs(mined) };
}

/** Returns a function for each process's processor time since then, in milliseconds per transaction. */
export async function startProcessorTime(
  running: Running,
): Promise<(transactions: number) => Record<string, number>> {
  const { rows } = await running.stack.pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const server = rows[0] && findDatabaseServer(rows[0].pid);
  const before = readCpu(running, server);
  return (transactions) =>
    Object.fromEntries(
      Object.entries(readCpu(running, server)).map(([name, ms]) => [
        name,
        round((ms - (before[name] ?? 0)) / transactions),
      ]),
    );
}

/** Each process's processor time so far, in milliseconds. */
function readCpu({ stack, children }: Running, server: number | undefined): Record<string, number> {
  const { user, system } = process.cpuUsage();
  const used: Record<string, number> = {
    sender: (user + system) / 1_000,
    node: 1_000 * readProcessorSeconds(stack.anvilPid),
  };
  for (const [name, { pid }] of children)
    if (pid !== undefined) used[name] = 1_000 * readProcessorSeconds(pid);
  if (server !== undefined) used.database = 1_000 * readDatabaseSeconds(server);
  return used;
}

const round = (value: number) => Math.round(value * 10) / 10;

/** The number of the relayer wallets' transactions on the chain. */
export async function countMined({ reader, relayers }: ServiceStack): Promise<number> {
  const counts = await Promise.all(relayers.map((address) => reader.getTransactionCount({ address })));
  return counts.reduce((sum, count) => sum + count, 0);
}

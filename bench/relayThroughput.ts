import { setTimeout as delay } from 'node:timers/promises';
import type { Child } from '../src/platform/supervision/child.ts';
import type { ServiceKind, ServiceStack } from '../test/support/serviceStack.ts';
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
/** Often enough to tell when a block was made, and seldom enough to leave the node to the service. */
const lookEveryMs = 50;

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
  const startedAt = performance.now();
  let hasFailed = false;
  const isOver = () => hasFailed || performance.now() > startedAt + seconds * 1_000;
  const working = work(isOver);
  const watching = watch(running, {
    warmAt: startedAt + seconds * 1_000 * warmUpShare,
    end: before + total * (1 - warmUpShare),
    isOver,
  });
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

/**
 * Counts with each block, from the first one after `warmAt` to the last one before the time is up or `end`
 * transactions are mined. From block to block, because a part of a block counts for nothing.
 */
async function watch(
  running: Running,
  { warmAt, end, isOver }: { warmAt: number; end: number; isOver(): boolean },
): Promise<Throughput> {
  const { stack } = running;
  const readCpuMs = await createTimeReader(running);
  const look = async (mined: number) => ({ mined, at: performance.now(), cpuMs: readCpuMs() });
  let first: Awaited<ReturnType<typeof look>> | undefined;
  let last = await look(await countMined(stack));
  let height = await stack.reader.getBlockNumber({ cacheTime: 0 });
  while (!isOver() && last.mined < end) {
    await delay(lookEveryMs);
    const newest = await stack.reader.getBlockNumber({ cacheTime: 0 });
    if (newest === height || isOver()) continue;
    height = newest;
    last = await look(await countMined(stack));
    if (performance.now() >= warmAt) first ??= last;
  }
  if (!first || first === last) throw new Error('the measurement was over before two blocks were made');
  const mined = last.mined - first.mined;
  const lasted = (last.at - first.at) / 1_000;
  const cpuMs = divideTime(first.cpuMs, last.cpuMs, mined);
  return { mined, seconds: round(lasted), perSecond: round(mined / lasted), cpuMs };
}

/** Returns a function for each process's processor time so far, in milliseconds. */
export async function createTimeReader({
  stack,
  children,
}: Running): Promise<() => Readonly<Record<string, number>>> {
  const { rows } = await stack.pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const server = rows[0] && findDatabaseServer(rows[0].pid);
  return () => readCpu({ stack, children }, server);
}

/** The time of each process between two readings, divided by the number of transactions. */
export function divideTime(
  from: Readonly<Record<string, number>>,
  to: Readonly<Record<string, number>>,
  transactions: number,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(to).map(([name, ms]) => [name, round((ms - (from[name] ?? 0)) / transactions)]),
  );
}

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

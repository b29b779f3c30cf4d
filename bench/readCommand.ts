import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAnvil } from '../src/cli/devtools/anvil.ts';
import { startPostgres } from '../src/cli/devtools/postgres.ts';
import { readProcessorSeconds } from './processorTime.ts';
import { type Installation, install, rateLimit, type Subject } from './read/install.ts';
import { chainId } from './read/seedAgreements.ts';
import { type Load, type LoadResult, sendLoad } from './read/sendLoad.ts';
import { graphqlRequests, type Route, restRequests, routes } from './read/subjects.ts';

export type ReadCommand = {
  sizes: readonly number[];
  seconds: number;
  connections: number;
  /** The directory for the API's CPU profile. */
  profile?: string;
};

export type ReadMeasure = LoadResult & {
  size: number;
  route: Route;
  subject: Subject;
  /** Processor time of one request, in the answering process only. */
  processorUs: number;
};

const warmUpSeconds = 2;
/**
 * Before about this many requests, compiling JavaScript takes much of the time. The effect grows on a busy
 * machine, which answers fewer requests.
 */
const warmUpRequests = 15_000;
const mostWarmUps = 8;
/** So that the requested rows are in memory at every size, as on a machine of the right size. */
const databaseSettings = {
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  synchronous_commit: 'off',
  max_connections: '400',
};

/**
 * Measures reads of one API process with authentication and limits, compared with a bare handler over the
 * same rows and with Ponder's GraphQL over the rows of the index: for each size on its own database, all on
 * one PostgreSQL and in turn.
 */
export async function runReadBenchmark(
  options: ReadCommand,
): Promise<{ options: ReadCommand; rateLimit: number; measures: ReadMeasure[] }> {
  const closings: (() => Promise<unknown>)[] = [];
  try {
    const measures = await measure(options, (closing) => closings.push(closing));
    print(options, measures);
    return { options, rateLimit, measures };
  } finally {
    for (const close of closings.reverse()) await close();
  }
}

async function measure(
  { sizes, seconds, connections, profile }: ReadCommand,
  onClose: (closing: () => Promise<unknown>) => void,
): Promise<ReadMeasure[]> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'agreements-bench-'));
  onClose(() => rm(dataDirectory, { recursive: true }));
  const server = await startPostgres({ dataDirectory, settings: databaseSettings });
  onClose(server.stop);
  const anvil = await startAnvil({ chainId });
  onClose(anvil.stop);
  const installations: Installation[] = [];
  for (const size of sizes.toSorted((a, b) => a - b))
    installations.push(
      await install(size, { serverUrl: server.localUrl, rpcUrl: anvil.rpcUrl, profile, onClose }),
    );

  const measures: ReadMeasure[] = [];
  for (const { route, subjects } of inTurn)
    for (const { size, key, programs } of installations)
      for (const subject of subjects) {
        const requests = (subject === 'graphql' ? graphqlRequests : restRequests)(route, size);
        const headers = { 'x-api-key': key, 'content-type': 'application/json' };
        const { url, pid } = programs[subject];
        const load = { url, connections, headers, requests };
        await warmUp(load);
        const usedBefore = readProcessorSeconds(pid);
        const result = await sendLoad({ ...load, seconds });
        const usedSeconds = readProcessorSeconds(pid) - usedBefore;
        // Ponder sorts all rows for its list: for a million it returns no page in this time.
        if ((result.total === 0 || result.overdue > 0) && subject !== 'graphql')
          throw new Error(`${subject} leaves requests to ${route} without an answer`);
        const processorUs = Math.round((usedSeconds * 1e6) / Math.max(1, result.total));
        const measured = { size, route, subject, ...result, processorUs };
        console.error(JSON.stringify(measured));
        measures.push(measured);
      }
  return measures.sort((a, b) => a.size - b.size);
}

/**
 * All sizes of a route run right after each other, because the machine's speed changes within minutes. The
 * service and the bare handler alternate. Ponder comes after both, and its list comes last: with a million
 * rows it keeps sorting long after the client has given up.
 */
const inTurn: readonly { route: Route; subjects: readonly Subject[] }[] = [
  ...routes.map((route) => ({ route, subjects: ['service', 'bare'] as const })),
  ...routes.toReversed().map((route) => ({ route, subjects: ['graphql'] as const })),
];

/** Warms up a process until it no longer gets faster, up to a limit. */
async function warmUp(load: Omit<Load, 'seconds'>): Promise<void> {
  let answered = 0;
  for (let round = 0; round < mostWarmUps && answered < warmUpRequests; round++)
    answered += (await sendLoad({ ...load, seconds: warmUpSeconds })).total;
}

function print({ connections, seconds }: ReadCommand, measures: readonly ReadMeasure[]): void {
  const smallest = Math.min(...measures.map(({ size }) => size));
  const find = (size: number, route: Route, subject: Subject) =>
    measures.find((one) => one.size === size && one.route === route && one.subject === subject);
  console.log(
    `one API process, ${connections} connections, ${seconds} s each, limit of reads raised to ${rateLimit} a second`,
  );
  const rows = measures.map(({ size, route, subject, perSecond, p50Ms, p99Ms, processorUs }) => ({
    agreements: size,
    route,
    subject,
    'requests/s': Math.round(perSecond),
    'p50 ms': p50Ms,
    'p99 ms': p99Ms,
    'CPU µs': processorUs,
    'of bare': share(perSecond, find(size, route, 'bare')?.perSecond),
    [`p50 of ${smallest}`]: share(p50Ms, find(smallest, route, subject)?.p50Ms),
  }));
  console.table(rows);
}

function share(value: number, whole: number | undefined): string {
  return whole ? `${Math.round((100 * value) / whole)} %` : '';
}

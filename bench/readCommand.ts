import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createKey } from '../src/api/access/apiKeys.ts';
import { setEntitlement } from '../src/api/access/entitlements.ts';
import { createPrincipal } from '../src/api/access/principals.ts';
import { createDatabase } from '../src/api/database/database.ts';
import { migrateDatabase } from '../src/api/database/migrateDatabase.ts';
import { startAnvil } from '../src/api/dev/anvil.ts';
import { findFreePort } from '../src/api/dev/freePort.ts';
import { startPostgres } from '../src/api/dev/postgres.ts';
import { createLogger } from '../src/api/log/createLogger.ts';
import { readProcessorSeconds } from './processorTime.ts';
import { chainId, seedAgreements } from './read/seedAgreements.ts';
import { type Load, type LoadResult, sendLoad } from './read/sendLoad.ts';
import { lightDrizzle, startProgram } from './read/startProgram.ts';
import { graphqlRequests, type Route, restRequests, routes } from './read/subjects.ts';

export type ReadCommand = {
  sizes: readonly number[];
  seconds: number;
  connections: number;
  /** Where the API leaves a CPU profile. */
  profile?: string;
};

export const readSubjects = ['service', 'bare', 'graphql'] as const;
type Subject = (typeof readSubjects)[number];

export type ReadMeasure = LoadResult & {
  size: number;
  route: Route;
  subject: Subject;
  /** What one request has taken of a processor, in the answering process alone. */
  processorUs: number;
};

const rateLimit = 1_000_000;
const warmUpSeconds = 2;
/** Before about as many, much of the time goes into compiling JavaScript, the more the fewer requests a busy machine lets through. */
const warmUpRequests = 15_000;
const mostWarmUps = 8;
/** So that what is asked for lies in memory at every size, as it would on a machine that is meant for it. */
const databaseSettings = { shared_buffers: '1GB', max_wal_size: '8GB', synchronous_commit: 'off' };

/**
 * Measures reads of one API process with authentication and limits, beside a bare handler over the same rows and Ponder's GraphQL
 * over the rows of the index that they come from, all on one PostgreSQL and in turn.
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
  const { url: databaseUrl, stop } = await startPostgres({ dataDirectory, settings: databaseSettings });
  onClose(stop);
  await migrateDatabase(databaseUrl);
  const { principalId, key } = await createCaller(databaseUrl);
  const anvil = await startAnvil({ chainId });
  onClose(anvil.stop);

  const [apiPort, barePort, indexerPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const env = {
    DATABASE_URL: databaseUrl,
    CHAINS: String(chainId),
    [`RPC_URL_${chainId}`]: anvil.rpcUrl,
    PORT: String(apiPort),
    INDEXER_PORT: String(indexerPort),
    INTERNAL_PORT: '0',
    RATE_LIMIT_READS: String(rateLimit),
    ENCRYPTION_KEY: '0'.repeat(64),
    LOG_LEVEL: 'warn',
  };
  const urls: Record<Subject, string> = {
    service: `http://127.0.0.1:${apiPort}`,
    bare: `http://127.0.0.1:${barePort}`,
    graphql: `http://127.0.0.1:${indexerPort}`,
  };
  const indexer = await startProgram({
    entry: 'src/api/start/indexer.ts',
    env,
    url: `${urls.graphql}/ready`,
  });
  onClose(indexer.stop);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  onClose(() => pool.end());
  const indexSchema = await findIndexSchema(pool);
  const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const api = await startProgram({
    entry: 'src/api/start/api.ts',
    nodeFlags: ['--max-semi-space-size=8', '--import', lightDrizzle, ...flags],
    env,
    url: `${urls.service}/v0/health`,
  });
  onClose(api.stop);

  const measures: ReadMeasure[] = [];
  let seeded = 0;
  for (const size of sizes.toSorted((a, b) => a - b)) {
    console.error(`seeding ${size} agreements`);
    await seedAgreements(pool, { principalId, from: seeded + 1, through: size, indexSchema });
    seeded = size;
    const bare = await startProgram({
      entry: 'bench/read/bareServer.ts',
      env: { DATABASE_URL: databaseUrl, PRINCIPAL_ID: principalId, PORT: String(barePort) },
      url: `${urls.bare}/v0/agreements`,
    });
    try {
      for (const { route, subject } of inTurn) {
        const requests = (subject === 'graphql' ? graphqlRequests : restRequests)(route, size);
        const headers = { 'x-api-key': key, 'content-type': 'application/json' };
        const load = { url: urls[subject], connections, headers, requests };
        await warmUp(load);
        const { pid } = { service: api, bare, graphql: indexer }[subject];
        const usedBefore = readProcessorSeconds(pid);
        const result = await sendLoad({ ...load, seconds });
        const usedSeconds = readProcessorSeconds(pid) - usedBefore;
        // Ponder sorts all rows for its list: of a million it gives no page in so short a time.
        if ((result.total === 0 || result.overdue > 0) && subject !== 'graphql')
          throw new Error(`${subject} leaves requests to ${route} without an answer`);
        const processorUs = Math.round((usedSeconds * 1e6) / Math.max(1, result.total));
        const measured = { size, route, subject, ...result, processorUs };
        console.error(JSON.stringify(measured));
        measures.push(measured);
      }
    } finally {
      await bare.stop();
    }
  }
  return measures;
}

/**
 * The service and the bare handler by turns, and Ponder after both: of a million rows it goes on sorting long after nobody waits for
 * its list any more, which is what it is asked for last.
 */
const inTurn: readonly { route: Route; subject: Subject }[] = [
  ...routes.flatMap((route) => [
    { route, subject: 'service' as const },
    { route, subject: 'bare' as const },
  ]),
  ...routes.toReversed().map((route) => ({ route, subject: 'graphql' as const })),
];

/** Has a process answer until it is as fast as it gets, though not for ever where it is slow. */
async function warmUp(load: Omit<Load, 'seconds'>): Promise<void> {
  let answered = 0;
  for (let round = 0; round < mostWarmUps && answered < warmUpRequests; round++)
    answered += (await sendLoad({ ...load, seconds: warmUpSeconds })).total;
}

async function createCaller(databaseUrl: string): Promise<{ principalId: string; key: string }> {
  const logger = createLogger({ level: 'silent', name: 'bench' });
  const { database, close } = createDatabase({
    url: databaseUrl,
    applicationName: 'bench',
    maxConnections: 1,
    logger,
  });
  try {
    const { id } = await createPrincipal(database, 'bench');
    await setEntitlement(database, { principal: id, scope: '*', mode: 'free_allowlist' });
    const { key } = await createKey(database, { principal: id, environment: 'testnet' });
    return { principalId: id, key };
  } finally {
    await close();
  }
}

/** The schema that the views of the index look into. */
async function findIndexSchema(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ name: string }>(
    `select nspname as name from pg_namespace where nspname like 'chain_index\\_%'`,
  );
  const [schema, ...others] = rows;
  if (!schema || others.length > 0) throw new Error('There is not one schema of the index.');
  return schema.name;
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

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startAnvil } from '../../src/cli/devtools/anvil.ts';
import { startPostgres } from '../../src/cli/devtools/postgres.ts';
import { filteredRequests } from './filteredRequests.ts';
import { type Installation, install } from './install.ts';
import { chainId, seedAgreements } from './seedAgreements.ts';
import {
  forgetStatistics,
  gatherStatistics,
  holdStatistics,
  type Statistics,
  statistics,
} from './statistics.ts';

export type Comparison = {
  statistics: Statistics;
  path: string;
  /** Medians of single requests, in milliseconds. */
  embeddedMs: number;
  otherMs: number;
};

const warmUps = 10;
const rounds = 41;
/** Share of the final rows that exist when the later stale statistics are gathered. */
const seededFirst = 0.01;

/**
 * Measures reads of one API each on the embedded PostgreSQL and on another one, alternating request by
 * request, so that both see the same machine: with stale, no and current statistics.
 */
export async function compareServers(options: {
  databaseUrl: string;
  size: number;
}): Promise<{ versions: string[]; comparisons: Comparison[] }> {
  const closings: (() => Promise<unknown>)[] = [];
  try {
    return await compare(options, (closing) => closings.push(closing));
  } finally {
    for (const close of closings.reverse()) await close();
  }
}

async function compare(
  { databaseUrl, size }: { databaseUrl: string; size: number },
  onClose: (closing: () => Promise<unknown>) => void,
) {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'agreements-bench-'));
  onClose(() => rm(dataDirectory, { recursive: true }));
  const embedded = await startPostgres({ dataDirectory });
  onClose(embedded.stop);
  const { rpcUrl, stop } = await startAnvil({ chainId });
  onClose(stop);
  const servers = [];
  for (const serverUrl of [embedded.localUrl, databaseUrl])
    servers.push(await prepare({ serverUrl, rpcUrl, size, onClose }));
  const [one, other] = servers;
  if (!one || !other) throw new Error('there are not two servers');

  const comparisons: Comparison[] = [];
  for (const kind of statistics) {
    for (const { pool, installation } of servers) {
      if (kind === 'never') await forgetStatistics(pool, installation.tables);
      if (kind === 'run') await gatherStatistics(pool, installation.tables);
    }
    for (const path of filteredRequests(size)) {
      const [embeddedMs, otherMs] = await measureInTurn(path, one.installation, other.installation);
      const comparison = { statistics: kind, path, embeddedMs, otherMs };
      console.error(JSON.stringify(comparison));
      comparisons.push(comparison);
    }
  }
  return { versions: servers.map(({ version }) => version), comparisons };
}

/** A database with a hundredth of the records, whose statistics are gathered, and then with all of them. */
async function prepare(options: {
  serverUrl: string;
  rpcUrl: string;
  size: number;
  onClose: (closing: () => Promise<unknown>) => void;
}) {
  const { serverUrl, rpcUrl, size, onClose } = options;
  const first = Math.ceil(size * seededFirst);
  const installation = await install(first, { serverUrl, rpcUrl, profile: undefined, onClose });
  const { databaseUrl, principalId, indexSchema, tables } = installation;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  onClose(() => pool.end());
  await holdStatistics(pool, tables);
  await seedAgreements(pool, { principalId, from: first + 1, size, indexSchema });
  const { rows } = await pool.query<{ server_version: string }>('show server_version');
  return { pool, installation, version: rows[0]?.server_version ?? '' };
}

async function measureInTurn(
  path: string,
  one: Installation,
  other: Installation,
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = -warmUps; round < rounds; round++)
    for (const [at, { key, programs }] of [one, other].entries()) {
      const startedAt = performance.now();
      const response = await fetch(programs.service.url + path, { headers: { 'x-api-key': key } });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${path} is answered with ${response.status}`);
      if (round >= 0) times[at]?.push(performance.now() - startedAt);
    }
  return [median(times[0]), median(times[1])];
}

function median(values: readonly number[]): number {
  const middle = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  return Math.round(middle * 100) / 100;
}

/** The comparison as lines for a terminal, the worst first. */
export function describeComparison({
  versions,
  comparisons,
}: Awaited<ReturnType<typeof compareServers>>): string {
  const [embedded, other] = versions;
  const shares = comparisons
    .map((one) => ({ ...one, share: one.otherMs / one.embeddedMs }))
    .toSorted((a, b) => b.share - a.share);
  return [
    `medians of single requests on PostgreSQL ${other}, in parts of those on the embedded ${embedded}:`,
    ...shares.map(
      ({ share, statistics: kind, path, embeddedMs, otherMs }) =>
        `${share.toFixed(2).padStart(6)}  ${String(otherMs).padStart(8)} of ${String(embeddedMs).padStart(8)} ms  statistics ${kind}: ${path}`,
    ),
  ].join('\n');
}

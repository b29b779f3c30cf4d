import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type InputListRequest, listInputs } from '../../../src/api/agreements/listInputs.ts';
import { listRecords, type RecordListRequest } from '../../../src/api/agreements/listRecords.ts';
import { drizzleOptions } from '../../../src/platform/database/database.ts';
import { deliveryStatuses } from '../../../src/platform/database/tables/webhooks.ts';
import type { Range } from '../../../src/platform/lists/listFilters.ts';
import type { ListPage } from '../../../src/platform/lists/page.ts';
import type { Sort } from '../../../src/platform/lists/sort.ts';
import { chains } from '../../../src/protocol/chains.ts';
import { writeFeedCursor } from '../../../src/records/events/feedCursor.ts';
import { listEvents } from '../../../src/records/events/listEvents.ts';
import { listDeliveries } from '../../../src/records/webhooks/listDeliveries.ts';
import { createMigratedDatabase, type TestDatabase } from '../../support/postgres.ts';
import { createExplainedPool, type Effort, type ExplainedPool } from '../support/explainedPool.ts';
import {
  firstInstant,
  manyEvents,
  manySubscription,
  seedDeliveries,
  seedEarly,
  seedEvents,
  seedInputs,
  seedRecords,
  stepMs,
} from './support/seed.ts';

const principalId = 'prn_many';
const history = 'agr_m000500';
const limit = 25;
let database: TestDatabase;
let writer: pg.Pool;
const pools = new Map<string, ExplainedPool>();

/** The database has statistics of a moment at which the tables held next to nothing, until a group of tests changes that. */
beforeAll(async () => {
  database = await createMigratedDatabase();
  writer = new pg.Pool({ connectionString: database.url, max: 1 });
  for (const table of tables) await writer.query(`alter table ${table} set (autovacuum_enabled = off)`);
  await writer.query('insert into service.principals (id, name) values ($1, $1)', [principalId]);
  await seedEarly(writer, principalId);
  for (const table of tables) await writer.query(`vacuum (analyze) ${table}`);
  await seedRecords(writer, principalId);
  await seedInputs(writer, { recordId: history, principalId });
  await seedEvents(writer, principalId);
  await seedDeliveries(writer, principalId);
  for (const mode of modes) pools.set(mode, createExplainedPool(database.url, { plan_cache_mode: mode }));
});
afterAll(async () => {
  for (const { pool } of pools.values()) await pool.end();
  await writer.end();
  await database.drop();
});

const tables = ['records', 'inputs', 'events', 'deliveries'].map((name) => `service.${name}`);

/** How up to date the statistics are, and what brings them there from the one before. */
const statistics = [
  { state: 'stale', prepare: async () => {} },
  {
    state: 'missing',
    async prepare() {
      await writer.query('delete from pg_statistic where starelid = any($1::regclass[])', [tables]);
      await writer.query(
        `update pg_class set reltuples = -1, relpages = 0, relallvisible = 0
        where oid = any($1::regclass[]) or oid in (select indexrelid from pg_index where indrelid = any($1::regclass[]))`,
        [tables],
      );
    },
  },
  {
    state: 'fresh',
    async prepare() {
      for (const table of tables) await writer.query(`vacuum (analyze) ${table}`);
    },
  },
] as const;

/** As the database plans a prepared statement: for the parameters at hand at first, and later for any. */
const modes = ['force_custom_plan', 'force_generic_plan'] as const;

function explainedPool(mode: string): ExplainedPool {
  const found = pools.get(mode);
  if (!found) throw new Error(`no pool for ${mode}`);
  return found;
}

const sorts = (['createdAt', 'updatedAt', 'displayName'] as const).flatMap((name) =>
  (['asc', 'desc'] as const).map((direction): Sort => {
    return { name, direction, kind: name === 'displayName' ? 'text' : 'instant' };
  }),
);
/** Nearly all statements run by a general plan, most with fresh statistics: those are looked at in both directions. */
const sortsOf = ({ mode, state }: { mode: string; state: string }) =>
  sorts.filter(
    ({ direction }) => direction === 'desc' || (mode === 'force_generic_plan' && state === 'fresh'),
  );
const at = (step: number) => new Date(firstInstant + step * stepMs).toISOString();

type Ranges = { createdAt?: Range; updatedAt?: Range };

/** None; nearly everything; nothing; a few rows out of the middle; much of both times. */
const ranges = [
  {},
  { createdAt: { gte: at(3) } },
  { createdAt: { lt: at(-1) } },
  { updatedAt: { gte: at(4_000), lt: at(4_003) } },
  { createdAt: { gt: at(1_000) }, updatedAt: { lte: at(9_000) } },
].map(({ createdAt = {}, updatedAt = {} }: Ranges) => ({ createdAt, updatedAt }));

/** Whether the rows are in the order of a time and in a range of the other one, which no index has. */
const crosses = (sort: Sort, { createdAt, updatedAt }: (typeof ranges)[number]) =>
  (Object.keys(createdAt).length > 0 && sort.name !== 'createdAt') ||
  (Object.keys(updatedAt).length > 0 && sort.name !== 'updatedAt');

const isRanged = ({ createdAt, updatedAt }: (typeof ranges)[number]) =>
  Object.keys({ ...createdAt, ...updatedAt }).length > 0;

/** The rows of a page, and the one after it, may be read in each of the branches and be looked up once more. */
const rowsOfPage = 2 * (limit + 1);
const mostGathered = 501;
const shownFaults = 5;

let plainMs = 0;

/** The pages of an index that a scan passes over behind the end of a range. */
const pagesPassed = 4_000;

type Case = {
  isRanged: boolean;
  request: object;
  branches: number;
  isCrossing: boolean;
  expected: readonly string[];
};

/** Reads the first page and the one after it, and says what is wrong with them or has cost more than a page may. */
async function findFaults(
  { takeEfforts }: ExplainedPool,
  { request, branches, isCrossing, isRanged, expected }: Case,
  read: (cursor?: string) => Promise<ListPage>,
): Promise<string[]> {
  const faults: string[] = [];
  const ids: string[] = [];
  const gathered = isCrossing ? 2 * branches * mostGathered : 0;
  // Where a range is wide, what it is combined with is gone along until the page is full.
  const walked = isCrossing ? 3_000 : 0;
  let cursor: string | undefined;
  for (const which of ['first', 'second']) {
    takeEfforts();
    const startedAt = performance.now();
    const page = await read(cursor);
    let elapsedMs = performance.now() - startedAt;
    ids.push(...listedShape.parse(JSON.parse(page.dataText)).map(({ id }) => id));
    const efforts = takeEfforts();
    const total = (of: 'rowsRead' | 'pages') => efforts.reduce((sum, effort) => sum + effort[of], 0);
    const rowsSorted = Math.max(...efforts.map((effort) => effort.rowsSorted));
    const [rowsRead, pages] = [total('rowsRead'), total('pages')];
    if (
      efforts.length === 0 ||
      rowsRead > (branches + 1) * rowsOfPage + gathered + walked ||
      rowsSorted > branches * Math.max(limit + 1, isCrossing ? mostGathered : 0) ||
      pages > 30 * (branches + 1) + 5 * rowsRead + (isRanged ? pagesPassed : 0)
    ) {
      const plans = efforts.map(({ plan }) => plan).join('; ');
      faults.push(
        `${JSON.stringify(request)}, ${which} page: ${rowsRead} rows read, ${rowsSorted} sorted, ${pages} pages: ${plans}`,
      );
    }
    // Compiled plans, and sorts of all rows, take hundreds of times as long. The quickest of a few tells what it costs on a machine that does other things as well.
    const mostMs = (isRanged ? 1_000 : 100) * branches * plainMs;
    for (let more = 0; more < 4 && elapsedMs > mostMs; more++) {
      const againAt = performance.now();
      await read(cursor);
      elapsedMs = Math.min(elapsedMs, performance.now() - againAt);
    }
    if (elapsedMs > mostMs)
      faults.push(
        `${JSON.stringify(request)}, ${which} page: ${elapsedMs} ms, where one row takes ${plainMs}`,
      );
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  if (ids.join() !== expected.join())
    faults.push(
      `${JSON.stringify(request)} gives ${ids.length} rows: ${ids.slice(0, 3)}…, not ${expected.length}: ${expected.slice(0, 3)}…`,
    );
  return faults;
}
const listedOrEmpty = z.array(z.unknown());
const listedShape = z.array(z.object({ id: z.string() }));

/** How long a row by its primary key takes. */
async function measurePlainQuery({ pool }: ExplainedPool): Promise<number> {
  let quickest = Number.POSITIVE_INFINITY;
  for (let time = 0; time < 10; time++) {
    const startedAt = performance.now();
    await pool.query({
      name: 'plain',
      text: 'select * from service.records where id = $1',
      values: [history],
    });
    quickest = Math.min(quickest, performance.now() - startedAt);
  }
  return quickest;
}

const cases = statistics.flatMap((each) => modes.map((mode) => ({ ...each, mode })));

describe.each(cases)('at 100,000 rows, with $state statistics and $mode,', ({ state, prepare, mode }) => {
  beforeAll(async () => {
    if (mode === modes[0]) await prepare();
    plainMs = await measurePlainQuery(explainedPool(mode));
  });

  const recordFilters: Pick<RecordListRequest, 'state' | 'chainId'>[] = [
    ...[undefined, 59141, 84532].flatMap((chainId) =>
      [undefined, 'OFFERED', 'DISPUTED'].map((state) => ({ chainId, state })),
    ),
    { chainId: 59144 },
    { state: 'UNKNOWN' },
  ];

  test.each(sortsOf({ mode, state }))(
    'a page of agreements by $name, $direction, costs what a page costs',
    async (sort) => {
      const explained = explainedPool(mode);
      const faults: string[] = [];
      for (const owner of [principalId, 'prn_c7', 'prn_unknown']) {
        const rows = await readRecordRows(explained.pool, owner);
        rows.sort(inOrder(sort));
        for (const filter of recordFilters) {
          const { chainId, state } = filter;
          const branches = state !== undefined && chainId === undefined ? chains.length : 1;
          const filtered = rows.filter(
            (row) =>
              (chainId === undefined || row.chainId === chainId) &&
              (state === undefined || row.state === state),
          );
          for (const range of owner === principalId ? ranges : ranges.slice(0, 1)) {
            const request = { ...filter, ...range, principalId: owner, sort, limit };
            const expected = firstWithin(filtered, range);
            const wanted = {
              request,
              branches,
              isCrossing: crosses(sort, range),
              isRanged: isRanged(range),
              expected,
            };
            faults.push(
              ...(await findFaults(explained, wanted, (cursor) =>
                listRecords(explained.pool, { ...request, cursor }),
              )),
            );
          }
        }
      }
      expect(faults.slice(0, shownFaults), `${faults.length} faults`).toEqual([]);
    },
  );

  test.each([0, manyEvents / 2, manyEvents - 5, manyEvents])(
    'the feed of events after %i costs what a page costs',
    async (position) => {
      const explained = explainedPool(mode);
      const after = writeFeedCursor({ principalId, position, eventId: undefined });
      const request = { principalId, after, limit };
      const found = Math.min(limit, manyEvents - position);
      const page = await listEvents(explained.pool, request);
      expect(listedOrEmpty.parse(JSON.parse(page.dataText))).toHaveLength(found);
      const { rowsRead, ms, plans } = await measureList(explained, () => listEvents(explained.pool, request));
      expect(rowsRead, plans).toBeLessThan(2 * limit);
      expect(ms, plans).toBeLessThan(100 * plainMs);
    },
  );

  // These are sent without a name and planned each time.
  test.skipIf(mode === 'force_generic_plan').each([undefined, ...deliveryStatuses])(
    'a page of deliveries of the status %s costs what a page costs',
    async (status) => {
      const explained = explainedPool(mode);
      const database = drizzle(explained.pool, drizzleOptions);
      const reference = { id: manySubscription, principalId };
      const read = (cursor?: string) => listDeliveries(database, reference, { status, limit, cursor });
      const first = await read();
      const second = first.nextCursor === null ? undefined : await read(first.nextCursor);
      const ids = [...first.page, ...(second?.page ?? [])].map(({ id }) => id);
      const { rows } = await writer.query<{ id: string }>(
        `select id from service.deliveries where subscription_id = $1 and ($2::text is null or status = $2)
        order by created_at desc, id desc limit ${2 * limit}`,
        [manySubscription, status],
      );
      expect(ids).toEqual(rows.map(({ id }) => id));
      const { rowsRead, ms, plans } = await measureList(explained, () => read(first.nextCursor ?? undefined));
      const branches = status === undefined ? deliveryStatuses.length : 1;
      expect(rowsRead, plans).toBeLessThan((branches + 3) * (limit + 2));
      expect(ms, plans).toBeLessThan((branches + 1) * 100 * plainMs);
    },
  );

  const inputFilters: Pick<InputListRequest, 'userId' | 'inputId' | 'status'>[] = [
    ...[undefined, principalId].flatMap((userId) =>
      [undefined, 'pay', 'object'].flatMap((inputId) =>
        ([undefined, 'MINED', 'PENDING'] as const).map((status) => ({ userId, inputId, status })),
      ),
    ),
    { userId: 'prn_c1' },
    { inputId: 'unknown' },
  ];

  test.each(sortsOf({ mode, state }).filter(({ kind }) => kind === 'instant'))(
    'a page of a history by $name, $direction, costs what a page costs',
    async (sort) => {
      const explained = explainedPool(mode);
      const faults: string[] = [];
      const rows = await readInputRows(explained.pool);
      rows.sort(inOrder(sort));
      for (const filter of inputFilters) {
        const { userId, inputId, status } = filter;
        const isFiltered = [userId, inputId, status].some((value) => value !== undefined);
        const branches =
          (isFiltered && status === undefined ? 3 : 1) * (isFiltered && userId === undefined ? 2 : 1);
        const filtered = rows.filter(
          (row) =>
            (userId === undefined || row.userId === userId) &&
            (inputId === undefined || row.inputId === inputId) &&
            (status === undefined || row.status === status),
        );
        for (const range of ranges) {
          const request = { ...filter, ...range, reference: { id: history }, principalId, sort, limit };
          const expected = firstWithin(filtered, range);
          const wanted = {
            request,
            branches,
            isCrossing: crosses(sort, range),
            isRanged: isRanged(range),
            expected,
          };
          faults.push(
            ...(await findFaults(explained, wanted, (cursor) =>
              listInputs(explained.pool, { ...request, cursor }),
            )),
          );
        }
      }
      expect(faults.slice(0, shownFaults), `${faults.length} faults`).toEqual([]);
    },
  );
});

/** Reads like a caller who follows a list from one place. */
async function measureList(
  { takeEfforts }: ExplainedPool,
  read: () => Promise<unknown>,
): Promise<{ rowsRead: number; ms: number; plans: string }> {
  takeEfforts();
  let ms = Number.POSITIVE_INFINITY;
  let efforts: Effort[] = [];
  for (let time = 0; time < 3; time++) {
    const startedAt = performance.now();
    await read();
    ms = Math.min(ms, performance.now() - startedAt);
    efforts = takeEfforts();
  }
  const rowsRead = efforts.reduce((sum, effort) => sum + effort.rowsRead, 0);
  return { rowsRead, ms, plans: efforts.map(({ plan }) => plan).join('\n') };
}

type Row = {
  id: string;
  createdAt: string;
  updatedAt: string;
  displayName?: string;
  position?: number | null;
};

/** The ids of two pages. */
function firstWithin(rows: readonly Row[], range: (typeof ranges)[number]): string[] {
  const found: string[] = [];
  for (const row of rows) {
    if (found.length === 2 * limit) break;
    if (isWithin(row, range)) found.push(row.id);
  }
  return found;
}

function isWithin(row: Row, range: (typeof ranges)[number]): boolean {
  return (['createdAt', 'updatedAt'] as const).every((name) => {
    const { gt, gte, lt, lte } = range[name];
    const value = row[name];
    return (
      (gt === undefined || value > gt) &&
      (gte === undefined || value >= gte) &&
      (lt === undefined || value < lt) &&
      (lte === undefined || value <= lte)
    );
  });
}

/** By what is sorted by, then by position (those without one last), then by id. */
function inOrder({ name, direction }: Sort) {
  const sign = direction === 'asc' ? 1 : -1;
  const rankOf = ({ position }: Row) => position ?? Number.MAX_SAFE_INTEGER;
  const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
  return (a: Row, b: Row) =>
    sign * (compare(a[name] ?? '', b[name] ?? '') || compare(rankOf(a), rankOf(b)) || compare(a.id, b.id));
}

const timesSql = `to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt",
  to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "updatedAt"`;

async function readRecordRows(pool: pg.Pool, owner: string) {
  const { rows } = await pool.query<Row & { displayName: string; chainId: number; state: string }>(
    `select id, display_name as "displayName", chain_id as "chainId", state, ${timesSql}
    from service.records where principal_id = $1`,
    [owner],
  );
  return rows;
}

async function readInputRows(pool: pg.Pool) {
  const { rows } = await pool.query<
    Row & { position: number | null; userId: string | null; inputId: string; status: string }
  >(
    `select id, position, user_id as "userId", input_id as "inputId", status, ${timesSql}
    from service.inputs where record_id = $1`,
    [history],
  );
  return rows;
}

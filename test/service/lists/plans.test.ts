import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Range } from '../../../src/api/agreements/filters.ts';
import { type InputListRequest, listInputs } from '../../../src/api/agreements/listInputs.ts';
import { listRecords, type RecordListRequest } from '../../../src/api/agreements/listRecords.ts';
import type { ListPage } from '../../../src/api/agreements/page.ts';
import type { Sort } from '../../../src/api/agreements/sort.ts';
import { migrateDatabase } from '../../../src/api/database/migrateDatabase.ts';
import { orderedReads } from '../../../src/api/database/plannerSettings.ts';
import { chains } from '../../../src/protocol/chains.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { createExplainedPool, type ExplainedPool } from '../support/explainedPool.ts';
import { firstInstant, seedInputs, seedRecords, stepMs } from './support/seed.ts';

const principalId = 'prn_many';
const history = 'agr_m000500';
const limit = 25;
let database: TestDatabase;
const pools = new Map<string, ExplainedPool>();

beforeAll(async () => {
  database = await createTestDatabase();
  await migrateDatabase(database.url);
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  await pool.query('insert into service.principals (id, name) values ($1, $1)', [principalId]);
  await seedRecords(pool, principalId);
  await seedInputs(pool, { recordId: history, principalId });
  await pool.query('vacuum (analyze) service.records');
  await pool.query('vacuum (analyze) service.inputs');
  await pool.end();
  for (const mode of modes)
    pools.set(mode, createExplainedPool(database.url, { plan_cache_mode: mode, ...orderedReads }));
});
afterAll(async () => {
  for (const { pool } of pools.values()) await pool.end();
  await database.drop();
});

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
/** Nearly all statements run by a general plan, so those are looked at in both directions. */
const sortsOf = (mode: string) =>
  sorts.filter(({ direction }) => mode === 'force_generic_plan' || direction === 'desc');
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

/** The rows of a page, and the one after it, may be read in each of the branches and be looked up once more. */
const rowsOfPage = 2 * (limit + 1);
const mostGathered = 1_001;
const shownFaults = 5;

type Case = { request: object; branches: number; isCrossing: boolean; expected: readonly string[] };

/** Reads the first page and the one after it, and says what is wrong with them or has cost more than a page may. */
async function findFaults(
  { takeEfforts }: ExplainedPool,
  { request, branches, isCrossing, expected }: Case,
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
    const page = await read(cursor);
    ids.push(...listedShape.parse(JSON.parse(page.dataText)).map(({ id }) => id));
    const efforts = takeEfforts();
    const total = (of: 'rowsRead' | 'pages') => efforts.reduce((sum, effort) => sum + effort[of], 0);
    const rowsSorted = Math.max(...efforts.map((effort) => effort.rowsSorted));
    const [rowsRead, pages] = [total('rowsRead'), total('pages')];
    if (
      efforts.length === 0 ||
      rowsRead > (branches + 1) * rowsOfPage + gathered + walked ||
      rowsSorted > branches * Math.max(limit + 1, isCrossing ? mostGathered : 0) ||
      pages > 30 * (branches + 1) + 5 * rowsRead
    ) {
      const plans = efforts.map(({ plan }) => plan).join('; ');
      faults.push(
        `${JSON.stringify(request)}, ${which} page: ${rowsRead} rows read, ${rowsSorted} sorted, ${pages} pages: ${plans}`,
      );
    }
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  if (ids.join() !== expected.join())
    faults.push(
      `${JSON.stringify(request)} gives ${ids.length} rows: ${ids.slice(0, 3)}…, not ${expected.length}: ${expected.slice(0, 3)}…`,
    );
  return faults;
}
const listedShape = z.array(z.object({ id: z.string() }));

describe.each(modes)('at 100,000 rows, with %s,', (mode) => {
  const recordFilters: Pick<RecordListRequest, 'state' | 'chainId'>[] = [
    ...[undefined, 59141, 84532].flatMap((chainId) =>
      [undefined, 'OFFERED', 'DISPUTED'].map((state) => ({ chainId, state })),
    ),
    { chainId: 59144 },
    { state: 'UNKNOWN' },
  ];

  test.each(sortsOf(mode))(
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
            const wanted = { request, branches, isCrossing: crosses(sort, range), expected };
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

  const inputFilters: Pick<InputListRequest, 'userId' | 'inputId' | 'status'>[] = [
    ...[undefined, principalId].flatMap((userId) =>
      [undefined, 'pay', 'object'].flatMap((inputId) =>
        ([undefined, 'MINED', 'PENDING'] as const).map((status) => ({ userId, inputId, status })),
      ),
    ),
    { userId: 'prn_c1' },
    { inputId: 'unknown' },
  ];

  test.each(sortsOf(mode).filter(({ kind }) => kind === 'instant'))(
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
          const wanted = { request, branches, isCrossing: crosses(sort, range), expected };
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

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type InputListRequest, listInputs } from '../../src/api/agreements/listInputs.ts';
import { listRecords, type RecordListRequest } from '../../src/api/agreements/listRecords.ts';
import type { ListPage } from '../../src/platform/lists/page.ts';
import type { Sort } from '../../src/platform/lists/sort.ts';
import { chains } from '../../src/protocol/chains.ts';
import {
  crosses,
  firstWithin,
  inOrder,
  isRanged,
  type ListedRow,
  nameRanges,
  type Ranges,
  ranges,
  timesSql,
} from '../service/lists/support/expectedRows.ts';
import { createManyRows, type ManyRows, planCases, principalId } from '../service/lists/support/manyRows.ts';
import { findFaults, limit } from '../service/lists/support/pageCost.ts';
import { seedInputs, seedRecords } from '../service/lists/support/seed.ts';
import type { ExplainedPool } from '../service/support/explainedPool.ts';

const history = 'agr_m000500';
const shownFaults = 5;

/**
 * Each sort and plan mode tests only every eighth range of a filter, each time another eighth. Together
 * they test every range of every filter. `PLANS_ALL` tests all ranges in each sort and plan mode.
 */
const everyNth = process.env.PLANS_ALL === undefined ? 8 : 1;
const pickRanges = (within: readonly Ranges[], turn: number) =>
  within.filter((_, at) => (at + turn) % everyNth === 0);

let rows: ManyRows;
beforeAll(async () => {
  rows = await createManyRows(async (writer) => {
    await seedRecords(writer, principalId);
    await seedInputs(writer, { recordId: history, principalId });
  });
});
afterAll(() => rows?.close());

const sorts = (['createdAt', 'updatedAt', 'displayName'] as const).flatMap((name) =>
  (['asc', 'desc'] as const).map((direction): Sort => {
    return { name, direction, kind: name === 'displayName' ? 'text' : 'instant' };
  }),
);
/**
 * PostgreSQL runs nearly all statements with a generic plan, mostly with fresh statistics. Only this case is
 * tested in both directions.
 */
const sortsOf = ({ mode, state }: { mode: string; state: string }) =>
  sorts.filter(
    ({ direction }) => direction === 'desc' || (mode === 'force_generic_plan' && state === 'fresh'),
  );

const cases = planCases.map((planCase, at) => ({ ...planCase, at }));

describe.each(cases)('at 100,000 rows, with $state statistics and $mode,', ({ state, prepare, mode, at }) => {
  const turnOf = (sort: Sort, filterAt: number) => at + sorts.indexOf(sort) + filterAt;
  beforeAll(async () => {
    await prepare(rows.writer);
  });

  const recordFilters: Pick<RecordListRequest, 'state' | 'chainId'>[] = [
    ...[undefined, 59141, 84532].flatMap((chainId) =>
      [undefined, 'OFFERED', 'DISPUTED'].map((state) => ({ chainId, state })),
    ),
    { chainId: 59144 },
    { state: 'UNKNOWN' },
  ];

  test.each(sortsOf({ mode, state }))(
    'a page of agreements by $name, $direction, costs only its page',
    async (sort) => {
      const explained = rows.explainedPool(mode);
      const faults: string[] = [];
      for (const owner of [principalId, 'prn_c7', 'prn_unknown']) {
        const stored = sortOnce(await readRecordRows(owner), sort);
        for (const [filterAt, filter] of recordFilters.entries()) {
          const { chainId, state } = filter;
          const branches = state !== undefined && chainId === undefined ? chains.length : 1;
          const filtered = stored.filter(
            (row) =>
              (chainId === undefined || row.chainId === chainId) &&
              (state === undefined || row.state === state),
          );
          const list = { filter, sort, branches, stored: filtered };
          const within =
            owner === principalId
              ? pickRanges([...ranges, ...nameRanges], turnOf(sort, filterAt))
              : ranges.slice(0, 1);
          faults.push(
            ...(await findListFaults(explained, { ...list, within }, (request) =>
              listRecords(explained.pool, { ...filter, ...request, principalId: owner }),
            )),
          );
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

  test.each(sortsOf({ mode, state }).filter(({ kind }) => kind === 'instant'))(
    'a page of a history by $name, $direction, costs only its page',
    async (sort) => {
      const explained = rows.explainedPool(mode);
      const faults: string[] = [];
      const stored = sortOnce(await readInputRows(), sort);
      for (const [filterAt, filter] of inputFilters.entries()) {
        const { userId, inputId, status } = filter;
        const isFiltered = [userId, inputId, status].some((value) => value !== undefined);
        const branches =
          (isFiltered && status === undefined ? 3 : 1) * (isFiltered && userId === undefined ? 2 : 1);
        const filtered = stored.filter(
          (row) =>
            (userId === undefined || row.userId === userId) &&
            (inputId === undefined || row.inputId === inputId) &&
            (status === undefined || row.status === status),
        );
        const within = pickRanges(ranges, turnOf(sort, filterAt));
        faults.push(
          ...(await findListFaults(
            explained,
            { filter, sort, branches, stored: filtered, within },
            (request) =>
              listInputs(explained.pool, { ...filter, ...request, reference: { id: history }, principalId }),
          )),
        );
      }
      expect(faults.slice(0, shownFaults), `${faults.length} faults`).toEqual([]);
    },
  );
});

/** Lists faults of the pages in each range: wrong rows, or a higher cost than a page may have. */
async function findListFaults(
  explained: ExplainedPool,
  list: {
    filter: { state?: string | undefined; inputId?: string | undefined };
    sort: Sort;
    branches: number;
    stored: readonly ListedRow[];
    within: readonly Ranges[];
  },
  read: (request: Ranges & { sort: Sort; limit: number; cursor: string | undefined }) => Promise<ListPage>,
): Promise<string[]> {
  const { filter, sort, branches, stored, within } = list;
  // The index truncates names of states and inputs. With these filters not every entry in a range is a row of
  // the list.
  const isCut = filter.state !== undefined || filter.inputId !== undefined;
  const faults: string[] = [];
  for (const range of within) {
    const request = { ...range, sort, limit };
    const wanted = {
      request: { ...filter, ...request },
      branches,
      isCrossing: crosses(sort, range),
      isPassing: isRanged(range) && (isCut || crosses(sort, range)),
      expected: firstWithin(stored, range),
    };
    faults.push(...(await findFaults(explained, wanted, (cursor) => read({ ...request, cursor }))));
  }
  return faults;
}

const sorted = new WeakMap<readonly ListedRow[], Map<Sort, ListedRow[]>>();

/** Sorts the rows once per sort. Sorting takes as long as reading hundreds of pages. */
function sortOnce<Row extends ListedRow>(stored: readonly Row[], sort: Sort): readonly Row[];
function sortOnce(stored: readonly ListedRow[], sort: Sort): readonly ListedRow[] {
  const known = sorted.get(stored) ?? new Map<Sort, ListedRow[]>();
  sorted.set(stored, known);
  const inSort = known.get(sort) ?? stored.toSorted(inOrder(sort));
  known.set(sort, inSort);
  return inSort;
}

type RecordRow = ListedRow & { displayName: string; chainId: number; state: string };
const recordRows = new Map<string, RecordRow[]>();

/** The rows of one principal. No test changes them. */
async function readRecordRows(owner: string): Promise<readonly RecordRow[]> {
  const known = recordRows.get(owner);
  if (known) return known;
  const { rows: found } = await rows.writer.query<RecordRow>(
    `select id, display_name as "displayName", chain_id as "chainId", state, ${timesSql}
    from service.records where principal_id = $1`,
    [owner],
  );
  recordRows.set(owner, found);
  return found;
}

type InputRow = ListedRow & {
  position: number | null;
  userId: string | null;
  inputId: string;
  status: string;
};
let inputRows: InputRow[] | undefined;

/** The rows of the long history. No test changes them. */
async function readInputRows(): Promise<readonly InputRow[]> {
  if (inputRows) return inputRows;
  const { rows: found } = await rows.writer.query<InputRow>(
    `select id, position, user_id as "userId", input_id as "inputId", status, ${timesSql}
    from service.inputs where record_id = $1`,
    [history],
  );
  inputRows = found;
  return found;
}

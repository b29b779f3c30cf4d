import { z } from 'zod';
import type { ListPage } from '../../../../src/platform/lists/page.ts';
import type { Effort, ExplainedPool } from '../../support/explainedPool.ts';

export const limit = 25;

/** Each branch may read the rows of a page and the one after it, and may look each up once more. */
const rowsOfPage = 2 * (limit + 1);
const mostGathered = 501;

/** Up to PostgreSQL 17, a scan passes over this many index pages after the end of a range. */
const pagesPassed = 4_000;

export type ListCase = {
  /**
   * Whether a scan may pass over entries after a range: true if not every entry in the range is a row of the
   * list.
   */
  isPassing: boolean;
  request: object;
  branches: number;
  isCrossing: boolean;
  expected: readonly string[];
};

/** Reads the first two pages, and lists their faults: wrong rows, or a higher cost than a page may have. */
export async function findFaults(
  { takeEfforts }: ExplainedPool,
  { request, branches, isCrossing, isPassing, expected }: ListCase,
  read: (cursor?: string) => Promise<ListPage>,
): Promise<string[]> {
  const faults: string[] = [];
  const ids: string[] = [];
  const gathered = isCrossing ? 2 * branches * mostGathered : 0;
  // In a wide range the scan follows the sort order instead, and filters by the range until the page is full.
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
      efforts.some(({ isCompiled }) => isCompiled) ||
      rowsRead > (branches + 1) * rowsOfPage + gathered + walked ||
      rowsSorted > branches * Math.max(limit + 1, isCrossing ? mostGathered : 0) ||
      pages > 30 * (branches + 1) + 5 * rowsRead + (isPassing ? pagesPassed : 0)
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

/** Reads the same place six times, like a caller who polls a list, and measures the last read. */
export async function measureList(
  { takeEfforts }: ExplainedPool,
  read: () => Promise<unknown>,
): Promise<{ rowsRead: number; isCompiled: boolean; plans: string }> {
  takeEfforts();
  let efforts: Effort[] = [];
  for (let time = 0; time < 6; time++) {
    await read();
    efforts = takeEfforts();
  }
  const rowsRead = efforts.reduce((sum, effort) => sum + effort.rowsRead, 0);
  const isCompiled = efforts.some((effort) => effort.isCompiled);
  return { rowsRead, isCompiled, plans: efforts.map(({ plan }) => plan).join('\n') };
}

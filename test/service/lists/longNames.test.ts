import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { listRecords } from '../../../src/api/agreements/listRecords.ts';
import type { ListPage } from '../../../src/platform/lists/page.ts';
import type { Sort } from '../../../src/platform/lists/sort.ts';
import { createMigratedDatabase, type TestDatabase } from '../../support/postgres.ts';
import { createExplainedPool, type ExplainedPool } from '../support/explainedPool.ts';
import { insertRecords } from '../support/rows.ts';

const principal = { id: 'prn_reader' };
const stranger = { id: 'prn_stranger' };
const mostCharacters = 250;
/** Longer than what a cursor holds of a name. */
const beginning = '合同'.repeat(100);

let database: TestDatabase;
let reader: ExplainedPool;
let writer: pg.Pool;

beforeAll(async () => {
  database = await createMigratedDatabase();
  reader = createExplainedPool(database.url, {});
  writer = new pg.Pool({ connectionString: database.url, max: 1 });
  await writer.query('insert into service.principals (id, name) values ($1, $1), ($2, $2)', [
    principal.id,
    stranger.id,
  ]);
});
beforeEach(async () => {
  await writer.query('delete from service.records');
});
afterAll(async () => {
  await reader.pool.end();
  await writer.end();
  await database.drop();
});

const sorts = (['asc', 'desc'] as const).map((direction): Sort => {
  return { name: 'displayName', kind: 'text', direction };
});

function read(sort: Sort, limit: number, cursor: string | undefined): Promise<ListPage> {
  const { id: principalId } = principal;
  return listRecords(reader.pool, { principalId, sort, limit, cursor, createdAt: {}, updatedAt: {} });
}

const listed = z.array(z.object({ id: z.string() }));
const idsOf = ({ dataText }: ListPage) => listed.parse(JSON.parse(dataText)).map(({ id }) => id);

/** Reads all pages; `between` runs after each page, with the ids of that page. */
async function readAll(
  { sort, limit }: { sort: Sort; limit: number },
  between: (ids: readonly string[], step: number) => Promise<unknown> = async () => {},
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let step = 0; ; step++) {
    const page = await read(sort, limit, cursor);
    ids.push(...idsOf(page));
    if (page.nextCursor === null) return ids;
    expect(page.nextCursor.length).toBeLessThan(mostCharacters);
    cursor = page.nextCursor;
    await between(idsOf(page), step);
  }
}

const idOf = (at: number) => `agr_${String(at).padStart(2, '0')}`;
const insertNames = (names: readonly string[]) =>
  insertRecords(
    writer,
    principal,
    names.map((display_name, at) => ({ id: idOf(at), display_name })),
  );
const inOrder = (ids: readonly string[], { direction }: Sort) =>
  direction === 'asc' ? ids : ids.toReversed();

const alphabets = [
  ['Chinese', '合'],
  ['control characters', '\u0001'],
  ['two units each', '\u{1f4dc}'],
  ['the last character of all', '\u{10ffff}'],
  ['quotes', '"'],
  ['capital letters', 'Z'],
] as const;

describe.each(sorts)('by long names, $direction,', (sort) => {
  test.each(alphabets)('cursors are short, and lead to each agreement once: %s', async (_, character) => {
    // One differs from the next in its length, and some are equal.
    const lengths = [1, 10, 11, 12, 15, 16, 17, 60, 64, 65, 65, 66, 200, 249, 250, 250, 250];
    await insertNames(lengths.map((length) => character.repeat(length)));
    for (const limit of [1, 3]) {
      const ids = await readAll({ sort, limit });
      expect(ids).toEqual(
        inOrder(
          lengths.map((__, at) => idOf(at)),
          sort,
        ),
      );
    }
  });

  test('a page after one costs only its page', async () => {
    await insertNames(Array.from({ length: 300 }, (_, at) => `${beginning}${at}`));
    await writer.query('vacuum analyze service.records');
    const { nextCursor } = await read(sort, 5, undefined);
    reader.takeEfforts();
    await read(sort, 5, nextCursor ?? undefined);
    const efforts = reader.takeEfforts();
    expect(efforts.map(({ rowsRead }) => rowsRead)).toEqual([1, 6]);
  });

  test('each unchanged agreement comes once while others come, go and are renamed', async () => {
    const nameOf = (at: number) => `${beginning}${String(at * 2).padStart(3, '0')}`;
    const all = Array.from({ length: 40 }, (_, at) => at);
    await insertNames(all.map(nameOf));
    const isChanged = (at: number) => at % 10 === 5;
    const ids = await readAll({ sort, limit: 3 }, async (page, step) => {
      // Before and behind the page's end, never the end itself.
      const gone = all.filter(isChanged).map(idOf)[step % 4];
      if (gone !== page.at(-1))
        await writer.query('update service.records set display_name = $2 where id = $1', [
          gone,
          step % 2 === 0 ? 'A' : `${beginning}~`,
        ]);
      const display_name = `${beginning}${String((step * 7) % 80).padStart(3, '0')}!`;
      await insertRecords(writer, principal, [{ id: `agr_new${step}`, display_name }]);
    });
    const unchanged = all.filter((at) => !isChanged(at)).map(idOf);
    expect(ids.filter((id) => unchanged.includes(id))).toEqual(inOrder(unchanged, sort));
  });

  const changes = [
    ['is renamed to the front', (id: string) => rename(id, 'A ')],
    ['is renamed to the end', (id: string) => rename(id, '\u{10ffff}')],
    ['is gone', (id: string) => writer.query('delete from service.records where id = $1', [id])],
  ] as const;

  test.each(changes)('no agreement is skipped if the last one of a page %s', async (_, change) => {
    const short = ['B 0', 'B 1', 'B 2', 'B 3', 'B 4'];
    await insertNames([...short, ...Array.from({ length: 8 }, (__, at) => `${beginning}${at}`)]);
    const seen = await readAll({ sort, limit: 4 }, async (page, step) => {
      const last = page.at(-1);
      if (step === 1 && last !== undefined) await change(last);
    });
    expect(new Set(seen).size).toBe(13);
    // Only those of the same beginning come again.
    for (const id of short.map((__, at) => idOf(at))) expect(seen.filter((one) => one === id)).toEqual([id]);
  });

  test('a cursor with the id of a stranger tells nothing of its name', async () => {
    await insertNames([`${beginning}2`, `${beginning}4`]);
    const { nextCursor } = await read(sort, 1, undefined);
    const held: unknown = JSON.parse(Buffer.from(nextCursor ?? '', 'base64url').toString());
    const [mark, [prefix, digest]] = z
      .tuple([z.string(), z.tuple([z.string(), z.string()]), z.number(), z.string()])
      .parse(held);
    // Even with the digest of the stranger's name, the position is that of an agreement that is gone.
    const name = sort.direction === 'asc' ? `${beginning}2` : `${beginning}4`;
    await insertRecords(writer, stranger, [{ id: 'agr_strange', display_name: name }]);
    const pageOf = async (id: string) => {
      const forged = JSON.stringify([mark, [prefix, digest], 0, id]);
      return idsOf(await read(sort, 5, Buffer.from(forged).toString('base64url')));
    };
    const gone = await pageOf('agr_gone');
    expect(gone).toHaveLength(2);
    expect(await pageOf('agr_strange')).toEqual(gone);
  });

  test('a cursor that holds the whole name still leads on', async () => {
    await insertNames([`${beginning}2`, `${beginning}4`, `${beginning}6`]);
    const { nextCursor } = await read(sort, 1, undefined);
    const held: unknown = JSON.parse(Buffer.from(nextCursor ?? '', 'base64url').toString());
    const [mark] = z.tuple([z.string()]).rest(z.unknown()).parse(held);
    const whole = JSON.stringify([mark, `${beginning}4`, 0, idOf(1)]);
    const page = await read(sort, 5, Buffer.from(whole).toString('base64url'));
    expect(idsOf(page)).toEqual([idOf(sort.direction === 'asc' ? 2 : 0)]);
  });
});

function rename(id: string, before: string) {
  return writer.query('update service.records set display_name = $2 || display_name where id = $1', [
    id,
    before,
  ]);
}

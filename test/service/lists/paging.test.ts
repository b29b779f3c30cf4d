import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { listInputs } from '../../../src/api/agreements/listInputs.ts';
import { listRecords } from '../../../src/api/agreements/listRecords.ts';
import { setUpSession } from '../../../src/platform/database/sessionSettings.ts';
import type { ListPage } from '../../../src/platform/lists/page.ts';
import type { Sort } from '../../../src/platform/lists/sort.ts';
import { createMigratedDatabase, type TestDatabase } from '../../support/postgres.ts';

const principalId = 'prn_reader';
const history = 'agr_history';
const count = 10_000;
const limit = 100;
let database: TestDatabase;
let reader: pg.Pool;
let writer: pg.Pool;

/** The writer changes only every tenth row. Several rows share each instant and each name. */
const seeds = [
  `insert into service.principals (id, name) values ('${principalId}', 'reader')`,
  `insert into service.records (id, principal_id, chain_id, status, display_name, document, doc_hash, template_id, doc_uri,
      participants, observers, contributors, initial_variables, variables, created_at, updated_at)
    select 'agr_' || lpad(n::text, 5, '0'), '${principalId}', 59141, 'Deployed', 'Lease ' || n * 7919 % 3001, '{}', '0x0', 't',
      'x:1', '[]', '[]', '[]', '{}', '{}', timestamptz '2026-01-01Z' + n / 4 * interval '1 second',
      timestamptz '2026-02-01Z' + n * 104729 % 2503 * interval '1 second'
    from generate_series(1, ${count}) as n`,
  `insert into service.records (id, principal_id, chain_id, status, display_name, document, doc_hash, template_id, doc_uri,
      participants, observers, contributors, initial_variables, variables, created_at)
    values ('${history}', '${principalId}', 59141, 'Deployed', 'History', '{}', '0x0', 't', 'x:1', '[]', '[]', '[]', '{}',
      '{}', '2025-01-01Z')`,
  `insert into service.inputs (id, record_id, chain_id, agreement_address, input_id, status, payload, "values", position,
      created_at, updated_at)
    select 'inp_' || md5(n::text), '${history}', 59141, '0x0', 'pay', case when n % 10 = 0 then 'PENDING' else 'MINED' end,
      '0x', '{}', case when n % 10 = 0 then null else n end, timestamptz '2026-01-01Z' + n / 4 * interval '1 second',
      timestamptz '2026-02-01Z' + n * 104729 % 2503 * interval '1 second'
    from generate_series(1, ${count}) as n`,
];

beforeAll(async () => {
  database = await createMigratedDatabase();
  reader = new pg.Pool({
    connectionString: database.url,
    max: 1,
    onConnect: (client) => setUpSession(client),
  });
  writer = new pg.Pool({ connectionString: database.url, max: 1 });
  for (const seed of seeds) await writer.query(seed);
  await writer.query('analyze');
});
afterAll(async () => {
  await reader.end();
  await writer.end();
  await database.drop();
});

const sorts = (['createdAt', 'updatedAt', 'displayName'] as const).flatMap((name) =>
  (['asc', 'desc'] as const).map((direction): Sort => {
    return { name, direction, kind: name === 'displayName' ? 'text' : 'instant' };
  }),
);

const listed = z.array(z.object({ id: z.string() }));

/** Reads all pages. The writer does one step during each read. */
async function readAll(
  read: (cursor?: string) => Promise<ListPage>,
  write: (step: number) => Promise<unknown>,
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let step = 0; ; step++) {
    const [{ dataText, nextCursor }] = await Promise.all([read(cursor), write(step)]);
    ids.push(...listed.parse(JSON.parse(dataText)).map(({ id }) => id));
    if (nextCursor === null) return ids;
    cursor = nextCursor;
  }
}

const marks = { asc: 'a', desc: 'd' } as const;

describe('a reader of all pages', () => {
  test.each(sorts)(
    'of a name, by $name, $direction, finds each agreement of that name once',
    async (sort) => {
      const { rows } = await writer.query<{ id: string }>(
        `select id from service.records where principal_id = $1 and display_name ilike 'lease 2%'`,
        [principalId],
      );
      const request = { principalId, sort, limit, namePrefix: 'leASE 2', createdAt: {}, updatedAt: {} };
      const ids = await readAll(
        (cursor) => listRecords(reader, { ...request, cursor }),
        async () => {},
      );
      expect(ids.length).toBeGreaterThan(10 * limit);
      expect(ids.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
    },
  );

  test.each(sorts)('by $name, $direction, sees each unchanged agreement once', async (sort) => {
    const mark = `${sort.name.toLowerCase()}${marks[sort.direction]}`;
    const ids = await readAll(
      (cursor) => listRecords(reader, { principalId, sort, limit, cursor, createdAt: {}, updatedAt: {} }),
      async (step) => {
        // Inserts new rows before, among and after the existing ones, and moves others to either end.
        await writer.query(
          `insert into service.records (id, principal_id, chain_id, status, display_name, document, doc_hash, template_id,
            doc_uri, participants, observers, contributors, initial_variables, variables, created_at, updated_at)
          select 'agr_new' || $1 || $2::int || 'x' || n, $3, 59141, 'Draft', 'Lease ' || n * 300, '{}', '0x0', 't', 'x:1', '[]',
            '[]', '[]', '{}', '{}', timestamptz '2026-01-01Z' + n * interval '4 minutes',
            timestamptz '2026-02-01Z' + n * interval '4 minutes'
          from generate_series(0, 9) as n`,
          [mark, step, principalId],
        );
        await writer.query(
          `update service.records set updated_at = case when $1::int % 2 = 0 then now() else '2026-01-15Z' end,
            display_name = case when $1::int % 2 = 0 then 'Zebra' else 'Aardvark' end, state = 'MOVED'
          where id = any($2)`,
          [
            step,
            Array.from(
              { length: 10 },
              (_, at) => `agr_${String((step * 100 + at * 10) % count).padStart(5, '0')}`,
            ),
          ],
        );
      },
    );
    const untouched = ids.filter((id) => /^agr_\d{4}[1-9]$/.test(id));
    expect(untouched.length).toBe(0.9 * count);
    expect(new Set(untouched).size).toBe(0.9 * count);
    expect(ids.some((id) => id.startsWith(`agr_new${mark}`))).toBe(true);
  });

  test.each(sorts.filter(({ kind }) => kind === 'instant'))(
    'of a history by $name, $direction, sees each unchanged input once',
    async (sort) => {
      const mark = `${sort.name.toLowerCase()}${marks[sort.direction]}`;
      const { rows } = await writer.query<{ id: string }>(
        `select id from service.inputs where record_id = $1 and position is not null and position <= $2`,
        [history, count],
      );
      const untouched = new Set(rows.map(({ id }) => id));
      const offset = count * (1 + sorts.indexOf(sort));
      const ids = await readAll(
        (cursor) =>
          listInputs(reader, {
            reference: { id: history },
            principalId,
            sort,
            limit,
            cursor,
            createdAt: {},
            updatedAt: {},
          }),
        async (step) => {
          await writer.query(
            `insert into service.inputs (id, record_id, chain_id, agreement_address, input_id, status, payload, "values", position,
              created_at, updated_at)
            select 'inp_' || md5($1 || $2::int || 'x' || n), $3, 59141, '0x0', 'pay', 'MINED', '0x', '{}', $4::int + $2::int * 10 + n,
              timestamptz '2026-01-01Z' + n * interval '4 minutes', timestamptz '2026-02-01Z' + n * interval '4 minutes'
            from generate_series(1, 10) as n`,
            [mark, step, history, offset],
          );
          await writer.query(
            `update service.inputs set status = 'MINED', position = $1::int + $3::int, updated_at = now()
            where id = (select id from service.inputs where record_id = $2 and status = 'PENDING' limit 1)`,
            [step, history, 100 * offset],
          );
        },
      );
      const seen = ids.filter((id) => untouched.has(id));
      expect(seen.length).toBe(untouched.size);
      expect(new Set(seen).size).toBe(untouched.size);
      expect(ids.length).toBeGreaterThan(count);
    },
  );
});

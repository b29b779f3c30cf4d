import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drizzleOptions } from '../../../src/platform/database/database.ts';
import { takeFitting } from '../../../src/worker/projector/takeFitting.ts';
import { createExplainedPool, type ExplainedPool } from '../support/explainedPool.ts';
import { freezeStatistics, planCases, prepareStatistics } from '../support/planCases.ts';
import { insertRecords } from '../support/rows.ts';
import { createFixture, type Fixture } from './support/setup.ts';

const tables = ['service.records'];
const mebibyte = 1024 * 1024;
const pageBytes = 8_192;
/** What a fold loads at once. */
const room = 16 * mebibyte;
const large = Array.from({ length: 60 }, (_, at) => `large ${at}`);
const compressed = Array.from({ length: 60 }, (_, at) => `compressed ${at}`);

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
  const { pool } = fixture;
  for (const id of ['busy', 'other'])
    await pool.query('insert into service.principals (id, name) values ($1, $1)', [id]);
  await freezeStatistics(pool, tables);
  await insertRecords(
    pool,
    { id: 'busy' },
    [...large, ...compressed].map((id) => ({ id })),
  );
  await insertRecords(pool, { id: 'other' }, [{ id: 'small' }]);
  await pool.query(`
    insert into service.records
    select more.* from service.records small cross join generate_series(1, 5000) as at,
      jsonb_populate_record(small, jsonb_build_object('id', 'small ' || at)) as more
    where small.id = 'small'`);
  await pool.query(`update service.records set variables = json_build_object('noise', (
      select string_agg(md5(records.id || at::text), '') from generate_series(1, 32768) at))
    where id like 'large %'`);
  await pool.query(`update service.records set variables = json_build_object('zeros', repeat('0', 8000000))
    where id like 'compressed %'`);
});
afterAll(() => fixture.close());

describe.each(planCases)('with $state statistics and $mode,', ({ state, mode }) => {
  let explained: ExplainedPool;
  beforeAll(async () => {
    await prepareStatistics(fixture.pool, state, tables);
    explained = createExplainedPool(fixture.url, { plan_cache_mode: mode });
  });
  afterAll(() => explained.pool.end());

  const take = async (ids: readonly string[]) => {
    explained.takeEfforts();
    const taken = await takeFitting(drizzle(explained.pool, drizzleOptions), ids);
    const [effort] = explained.takeEfforts();
    if (!effort) throw new Error('no statement was explained');
    return { ...taken, effort };
  };

  test('the values of records that do not fit are not read', async () => {
    const { fitting, others, effort } = await take([...large, 'small']);
    // A megabyte each, and those of another principal come first.
    expect(fitting).toEqual([large[0], 'small', ...large.slice(1, 15)]);
    expect(others).toEqual(large.slice(15));
    expect(effort.pages * pageBytes, effort.plan).toBeLessThan(1.5 * room);
  });

  test('values are measured as they are once decompressed', async () => {
    const { fitting } = await take(compressed);
    expect(fitting).toEqual(compressed.slice(0, 2));
  });
});

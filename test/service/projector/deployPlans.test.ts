import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drizzleOptions } from '../../../src/platform/database/database.ts';
import { deployRecords } from '../../../src/worker/projector/deployRecords.ts';
import { createExplainedPool, type ExplainedPool } from '../support/explainedPool.ts';
import { freezeStatistics, measureRows, planCases, prepareStatistics } from '../support/planCases.ts';
import { insertPrincipal } from './support/serviceRows.ts';
import { chainId, createFixture, type Fixture } from './support/setup.ts';

/** Records that no fold waits for: adopted, or not signed yet. */
const others = process.env.PLANS_ALL === undefined ? 10_000 : 100_000;
const awaited = 60;
const mostRead = 10 * awaited;
const tables = ['service.records', 'service.transactions'];

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
  const { pool, database, index } = fixture;
  await index.deploy();
  const principalId = await insertPrincipal(database);
  const insert = (name: string, count: number, parts: string) =>
    pool.query(
      `insert into service.records (id, principal_id, chain_id, display_name, document, doc_hash, template_id, doc_uri,
        participants, observers, contributors, initial_variables, variables, status, awaits_owner)
      select $1 || at, $2, $3, 'Lease', '{}', '0x0', 'did:template:lease', 'x:1', '[]', '[]', '[]', '{}', '{}', ${parts}
      from generate_series(1, $4::int) as at`,
      [name, principalId, chainId, count],
    );
  await insert('awaited', awaited, `'Draft', false`);
  await freezeStatistics(pool, tables);
  await insert('adopted', others, `'Deployed', false`);
  await insert('unsigned', others, `'Draft', true`);
});
afterAll(() => fixture?.close());

describe.each(planCases)('with $state statistics and $mode,', ({ state, mode }) => {
  let explained: ExplainedPool;
  beforeAll(async () => {
    await prepareStatistics(fixture.pool, state, tables);
    // As in a fold.
    explained = createExplainedPool(fixture.url, { plan_cache_mode: mode, enable_seqscan: 'off' });
  });
  afterAll(() => explained.pool.end());

  test('a fold looks for new agreements of Drafts without reading any other record', async () => {
    const { rowsRead, plans } = await measureRows(explained, () =>
      deployRecords(drizzle(explained.pool, drizzleOptions), {
        ...{ chainId, added: [7n], through: 7n, changedTransactions: [], isWhole: false, isApart: false },
      }),
    );
    expect(rowsRead, plans).toBeLessThan(mostRead);
  });
});

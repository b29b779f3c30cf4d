import { drizzle } from 'drizzle-orm/node-postgres';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listOpenedRecords } from '../../../src/api/guests/listOpenedRecords.ts';
import { createOfferedInputs } from '../../../src/api/guests/offeredInputs.ts';
import { drizzleOptions } from '../../../src/platform/database/database.ts';
import { setEntitlement } from '../../../src/records/principals/entitlements.ts';
import { createFixture, type Fixture } from '../projector/support/setup.ts';
import { createExplainedPool, type ExplainedPool } from '../support/explainedPool.ts';
import { freezeStatistics, measureRows, planCases, prepareStatistics } from '../support/planCases.ts';

/** Of a principal that may not read them any more. They are newer than all others. */
const hidden = 30_000;
const shown = 30;
const limit = 25;
/** A page looks at 1,000 entries, and at the record and the entitlements of each. */
const mostRead = 7 * 1_000;
const wallet = privateKeyToAddress(generatePrivateKey());
const tables = ['records', 'record_wallets', 'entitlements'].map((name) => `service.${name}`);

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
  const { pool, database } = fixture;
  for (const id of ['open', 'blocked'])
    await pool.query('insert into service.principals (id, name) values ($1, $1)', [id]);
  await setEntitlement(database, { principal: 'open', scope: '*', mode: 'free_allowlist' });
  await setEntitlement(database, { principal: 'blocked', scope: '*', mode: 'blocked' });
  await insertOpened('open', { count: shown, age: '1 hour' });
  await freezeStatistics(pool, tables);
  await insertOpened('blocked', { count: hidden, age: '1 minute' });
});
afterAll(() => fixture?.close());

async function insertOpened(principalId: string, { count, age }: { count: number; age: string }) {
  await fixture.pool.query(
    `with opened as (
      insert into service.records (id, principal_id, chain_id, status, display_name, document, doc_hash, template_id, doc_uri,
        participants, observers, contributors, initial_variables, variables, participant_access, created_at)
      select 'agr_' || $1 || at, $1, 59141, 'Draft', 'Lease', '{}', '0x0', 'did:template:lease', 'x:1', '[]', '[]', '[]', '{}', '{}',
        'read', now() - $3::interval - at * interval '1 millisecond' from generate_series(1, $2::int) as at
      returning id, created_at)
    insert into service.record_wallets (record_id, wallet, created_at) select id, $4, created_at from opened`,
    [principalId, count, age, wallet.toLowerCase()],
  );
}

describe.each(planCases)('with $state statistics and $mode,', ({ state, mode }) => {
  let explained: ExplainedPool;
  beforeAll(async () => {
    await prepareStatistics(fixture.pool, state, tables);
    explained = createExplainedPool(fixture.url, { plan_cache_mode: mode });
  });
  afterAll(() => explained.pool.end());

  test('each page of a wallet reads few of the records that it leaves out, and no record is missed', async () => {
    const database = drizzle(explained.pool, drizzleOptions);
    const offeredInputs = createOfferedInputs(explained.pool);
    const ids: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await measureRows(explained, async () => {
        const { items, nextCursor, totalCount } = await listOpenedRecords({ database }, offeredInputs, {
          ...{ wallet, limit, cursor },
        });
        ids.push(...items.map(({ id }) => id));
        expect(totalCount).toBeUndefined();
        cursor = nextCursor ?? undefined;
      });
      expect(page.rowsRead, page.plans).toBeLessThan(mostRead);
      pages += 1;
    } while (cursor !== undefined);
    expect(ids).toEqual(Array.from({ length: shown }, (_, at) => `agr_open${at + 1}`));
    expect(pages).toBeLessThanOrEqual(hidden / 1_000 + 3);
  });
});

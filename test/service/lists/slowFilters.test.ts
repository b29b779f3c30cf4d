import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../../support/waitUntil.ts';
import { insertRecords } from '../support/rows.ts';
import { startTestService, type TestPrincipal, type TestService } from '../support/testService.ts';

/** So many that no machine walks over all of them in a few milliseconds. */
const batches = 6;
const batchRows = 15_000;

let service: TestService;
let principal: TestPrincipal;
beforeAll(async () => {
  service = await startTestService();
  principal = await service.createPrincipal();
  const { pool } = service.handle;
  await insertRecords(pool, principal, [
    { id: 'agr_0', created_at: '2026-01-01Z', updated_at: '2026-01-01Z' },
  ]);
  const insert = `
    insert into service.records (principal_id, id, chain_id, status, display_name, document, doc_hash, template_id, doc_uri,
      participants, observers, contributors, initial_variables, variables, created_at, updated_at)
    select principal_id, 'agr_' || n, chain_id, status, display_name, document, doc_hash, template_id, doc_uri,
      participants, observers, contributors, initial_variables, variables,
      created_at + n * interval '1 second', updated_at + n * interval '1 second'
    from service.records, generate_series($1::int, $2::int) n where id = 'agr_0'`;
  for (let batch = 0; batch < batches; batch++)
    await pool.query(insert, [batch * batchRows + 1, (batch + 1) * batchRows]);
}, 120_000);
afterAll(() => service?.close());

test('lists that no index serves are read few at a time, however small their pages are', async () => {
  const { pool } = service.handle;
  // The oldest come last in the order of changes.
  const path = '/v0/agreements?createdAt[lte]=2026-01-01T00:10:00Z&sort[updatedAt]=desc&limit=1';
  const many = 60;
  let answered = 0;
  const read = async () => {
    expect((await principal.call('GET', path)).status).toBe(200);
    answered++;
  };
  // After small pages an owner may read many at a time.
  for (let count = 0; count < 20; count++) await principal.call('GET', '/v0/webhooks?limit=1');
  const reading = Promise.all(Array.from({ length: many }, read));
  let most = 0;
  await waitUntil('all are answered', async () => {
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity where datname = current_database() and state = 'active'
         and query like '%service.records r%' and pid <> pg_backend_pid()`,
    );
    // The first ones began before the service could know.
    if (answered > many / 3) most = Math.max(most, rows[0]?.count ?? 0);
    return answered === many;
  });
  await reading;
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(4);
}, 120_000);

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { previewNotifications } from '../../../src/api/agreements/previewNotifications.ts';
import { simulateRecord } from '../../../src/api/simulation/simulateRecord.ts';
import { limitShape } from '../../../src/platform/config/limits.ts';
import { nameHash } from '../../../src/protocol/index.ts';
import { createFixture, type Fixture } from '../projector/support/setup.ts';
import { buildLease } from '../support/documents.ts';
import { createExplainedPool, type ExplainedPool } from '../support/explainedPool.ts';
import { freezeStatistics, measureRows, planCases, prepareStatistics } from '../support/planCases.ts';
import { insertRecords } from '../support/rows.ts';
import { ruleOf } from './support/ruleScene.ts';

/** Inputs that kept the state, after the one that entered it; and recipients that rules with a limit have had. */
const many = 50_000;
const recordId = 'agr_busy';
const principalId = 'prn_busy';
const tables = ['service.inputs', 'service.rule_counts'];
const limits = limitShape.parse({});

const wallet = (at: number) => `0x${String(at).padStart(40, '0')}`;
const [landlord, tenant, keeper] = [wallet(1), wallet(2), wallet(3)];
const limited = ruleOf({
  id: 'limited',
  trigger: { type: 'onTransition', to: ['ACTIVE'] },
  recipients: ['landlord', 'tenant', 'keeper'],
  constraints: { maxOccurrences: 2 },
});
const accept = { inputId: 'accept', values: { months: '4', remark: 'gladly', code: 'A' }, by: 'tenant' };

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
  const { pool } = fixture;
  await pool.query('insert into service.principals (id, name) values ($1, $1)', [principalId]);
  const values = { landlord, tenant, rent: '5' };
  const lease = {
    document: JSON.stringify(buildLease(wallet(9))),
    initial_variables: values,
    variables: { ...values, keeper },
    state: 'OFFERED',
    state_hash: nameHash('OFFERED'),
    state_updated_at: new Date(),
    notification_template: JSON.stringify({ rules: [limited] }),
  };
  await insertRecords(pool, { id: principalId }, [
    { ...lease, id: recordId, input_count: many + 1, transition_count: 1 },
    { ...lease, id: 'agr_quiet' },
  ]);
  const insertInputs = (ofRecord: string, from: number, through: number, sequence: string) =>
    pool.query(
      `insert into service.inputs (id, record_id, chain_id, agreement_address, input_id, status, payload, "values",
        from_state, to_state, position, sequence)
      select $1 || at, $1, 59141, '0x0', case when at = 1 then 'reopen' else 'knock' end, 'MINED', '0x', '{}', 'PAID', 'OFFERED',
        at, ${sequence}
      from generate_series($2::int, $3::int) as at`,
      [ofRecord, from, through],
    );
  // All that the database has statistics of at first: each input changed the state.
  await insertInputs('agr_quiet', 1, 60, 'at');
  await insertInputs(recordId, 1, 1, '1');
  await freezeStatistics(pool, tables);
  await insertInputs(recordId, 2, many + 1, 'null');
  await pool.query(
    `insert into service.rule_counts (record_id, rule_id, recipient, count)
    select $1, 'limited', '0x' || lpad(at::text, 40, '0'), case when at = 2 then 2 else 1 end from generate_series(2, $2) as at`,
    [recordId, many],
  );
});
afterAll(() => fixture.close());

describe.each(planCases)('with $state statistics and $mode,', ({ state, mode }) => {
  let explained: ExplainedPool;
  beforeAll(async () => {
    await prepareStatistics(fixture.pool, state, tables);
    explained = createExplainedPool(fixture.url, { plan_cache_mode: mode });
  });
  afterAll(() => explained.pool.end());

  const request = { reference: { id: recordId }, principalId };
  const services = { limits, isMailConfigured: false };

  test('a preview reads the last transition and the counts of its recipients, whatever the length of the history', async () => {
    const { rowsRead, plans } = await measureRows(explained, async () => {
      const { pool } = explained;
      const transition = { inputId: 'accept' };
      const { rules } = await previewNotifications({ ...request, transition }, { ...services, pool });
      expect(rules).toMatchObject([
        {
          ruleId: 'limited',
          fires: true,
          recipients: [
            { recipient: landlord, fires: true },
            { recipient: tenant, fires: false, reason: 'max_occurrences' },
            { recipient: keeper, fires: true },
          ],
        },
      ]);
    });
    expect(rowsRead, plans).toBeLessThan(50);
  });

  test('a preview of a moment says how the state was entered, without reading the inputs since', async () => {
    const body = `\${fromState} by \${inputId}`;
    const aged = ruleOf({
      trigger: {
        type: 'temporal',
        states: ['OFFERED'],
        condition: { type: 'stateAge', threshold: { value: 1, unit: 'seconds' } },
        fireOnce: true,
      },
      recipients: ['tenant'],
      notification: { channel: 'external_webhook', subject: 'It waits', body },
    });
    const { rowsRead, plans } = await measureRows(explained, async () => {
      const { pool } = explained;
      const asked = { ...request, at: '2100-01-01T00:00:00Z', notificationTemplate: { rules: [aged] } };
      const { rules } = await previewNotifications(asked, { ...services, pool });
      expect(rules).toMatchObject([{ fires: true, notification: { body: 'PAID by reopen' } }]);
    });
    expect(rowsRead, plans).toBeLessThan(50);
  });

  test('a simulation reads the counts of those whom its steps reach, and a bounded part of the history', async () => {
    const { rowsRead, plans } = await measureRows(explained, async () => {
      const { steps } = await simulateRecord(explained.pool, {
        ...request,
        steps: [{ inputId: 'appoint', values: { keeper: wallet(4) }, by: 'landlord' }, accept],
        atMs: Date.now(),
        limits,
      });
      expect(steps.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted']);
      expect(steps.map(({ rules }) => rules.map(({ recipients }) => recipients))).toEqual([
        [],
        [[landlord, wallet(4)]],
      ]);
    });
    expect(rowsRead, plans).toBeLessThan(11_000);
  });
});

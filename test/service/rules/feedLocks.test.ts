import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../../src/platform/database/inTransaction.ts';
import { createEventIds } from '../../../src/records/events/eventIds.ts';
import { lockFeeds } from '../../../src/records/events/lockFeeds.ts';
import { fireDueRules } from '../../../src/worker/notifier/fireDueRules.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { chainId, createFixture, type Fixture } from '../projector/support/setup.ts';
import { insertRecords } from '../support/rows.ts';
import { ruleOf } from './support/ruleScene.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
});
afterAll(() => fixture.close());

const condition = { type: 'stateAge' as const, threshold: { value: 1, unit: 'seconds' as const } };
const rule = ruleOf({
  trigger: { type: 'temporal', states: ['dark'], condition, fireOnce: true },
  recipients: ['eve@mail.example'],
});

/** A principal with a rule that is due at this time. */
async function insertDue(name: string, dueMs: number): Promise<void> {
  const { pool } = fixture;
  await pool.query('insert into service.principals (id, name) values ($1, $1)', [`prn_${name}`]);
  const id = `agr_${name}`;
  await insertRecords(pool, { id: `prn_${name}` }, [
    { id, chain_id: chainId, notification_template: JSON.stringify({ rules: [rule] }) },
  ]);
  await pool.query(
    `insert into service.rule_schedules (record_id, rule_id, stay, span, chain_id, state, from_state, input_id, entered_ms,
      since_ms, since_block, starts_ms) values ($1, $2, 'stay', 'span', $3, 'dark', '', '__deploy', 0, 0, 1, $4)`,
    [id, rule.id, chainId, dueMs],
  );
}

test('rules of several principals wait for no one who releases to the same ones and waits for them', async () => {
  const { database } = fixture;
  // Principal b is due first, but its feed sorts after a's.
  await insertDue('b', 1);
  await insertDue('a', 2);
  const fire = () =>
    inTransaction(database, (transaction) =>
      fireDueRules(transaction, {
        chainId,
        clock: { nowMs: 10, confirmedBlock: 5n },
        eventIds: createEventIds(Buffer.from('a secret')),
        createdAt: new Date(),
      }),
    );
  let fired: ReturnType<typeof fire> | undefined;
  await inTransaction(database, async (transaction) => {
    await lockFeeds(transaction, ['prn_a']);
    fired = fire();
    // The rejection is handled where `fired` is awaited below.
    fired.catch(() => {});
    await waitUntil('the rules wait', async () => {
      const { rows } = await database.execute(
        sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    });
    await lockFeeds(transaction, ['prn_b']);
  });
  expect(await fired).toMatchObject({ schedules: 2, firings: 2 });
});

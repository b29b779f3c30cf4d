import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../../src/platform/database/inTransaction.ts';
import { createEventIds } from '../../../src/records/events/eventIds.ts';
import { lockFeeds } from '../../../src/records/events/lockFeeds.ts';
import { fireDueRules } from '../../../src/worker/notifier/fireDueRules.ts';
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

test('a batch waits for no feed that somebody else has locked: its rules fire in a later batch', async () => {
  const { database } = fixture;
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
  // A first lock creates the feeds; their rows would be waited for otherwise.
  await inTransaction(database, (transaction) => lockFeeds(transaction, ['prn_a', 'prn_b']));
  await inTransaction(database, async (transaction) => {
    await lockFeeds(transaction, ['prn_a']);
    // As a release does.
    await transaction.execute(
      sql`update service.event_feeds set last_position = last_position + 1 where principal_id = 'prn_a'`,
    );
    expect(await fire()).toMatchObject({ schedules: 1, firings: 1 });
  });
  expect(await fire()).toMatchObject({ schedules: 1, firings: 1 });
  expect(await fire()).toMatchObject({ schedules: 0 });
});

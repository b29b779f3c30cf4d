import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../../src/platform/database/inTransaction.ts';
import { createEventIds } from '../../../src/records/events/eventIds.ts';
import { fireDueRules } from '../../../src/worker/notifier/fireDueRules.ts';
import { storeEvents } from '../../../src/worker/publisher/storeEvents.ts';
import { chainId, createFixture, type Fixture } from '../projector/support/setup.ts';
import { insertRecords } from '../support/rows.ts';
import { ruleOf } from './support/ruleScene.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
});
afterAll(() => fixture.close());

const condition = { type: 'stateAge' as const, threshold: { value: 0, unit: 'seconds' as const } };
const rule = ruleOf({
  trigger: { type: 'temporal', states: ['dark'], condition, fireOnce: true },
  recipients: ['eve@mail.example'],
});
const confirmedBlock = 5n;

/** A principal and its record, in a state for which a rule is due at once. */
async function insertDue(name: string): Promise<{ principalId: string; recordId: string }> {
  const { pool } = fixture;
  const principalId = `prn_${name}`;
  const recordId = `agr_${name}`;
  await pool.query('insert into service.principals (id, name) values ($1, $1)', [principalId]);
  await insertRecords(pool, { id: principalId }, [
    { id: recordId, chain_id: chainId, notification_template: JSON.stringify({ rules: [rule] }) },
  ]);
  await pool.query(
    `insert into service.rule_schedules (record_id, rule_id, stay, span, chain_id, state, from_state, input_id, entered_ms,
      since_ms, since_block, starts_ms) values ($1, $2, 'stay', 'span', $3, 'dark', '', '__deploy', 0, 0, $4, 1)`,
    [recordId, rule.id, chainId, String(confirmedBlock)],
  );
  return { principalId, recordId };
}

/** Stores a transition event as a fold does. */
async function storeTransition(
  { principalId, recordId }: { principalId: string; recordId: string },
  blockNumber: bigint,
): Promise<string> {
  const id = `evt_${randomBytes(32).toString('hex')}`;
  const type = 'agreement.transitioned' as const;
  const place = { chainId, blockNumber, txHash: null, blockOrder: 0 };
  await storeEvents(fixture.database, [{ id, principalId, recordId, type, body: '{}', ...place }]);
  return id;
}

const fire = () =>
  inTransaction(fixture.database, (transaction) =>
    fireDueRules(transaction, {
      chainId,
      clock: { nowMs: 10, confirmedBlock },
      eventIds: createEventIds(Buffer.from('a secret')),
      createdAt: new Date(),
    }),
  );

async function readFeed(principalId: string): Promise<{ id: string; type: string }[]> {
  const { rows } = await fixture.pool.query<{ id: string; type: string }>(
    `select id, type from service.events where principal_id = $1 and state = 'released' order by position`,
    [principalId],
  );
  return rows;
}

test('a confirmed transition comes before notifications about its state, even if it was not released yet', async () => {
  const due = await insertDue('early');
  const entering = await storeTransition(due, confirmedBlock);
  const unconfirmed = await storeTransition(due, confirmedBlock + 1n);
  await fire();
  const feed = await readFeed(due.principalId);
  expect(feed.map(({ type }) => type)).toEqual([
    'agreement.transitioned',
    'agreement.notification.triggered',
  ]);
  expect(feed[0]?.id).toBe(entering);
  expect(feed.map(({ id }) => id)).not.toContain(unconfirmed);
});

test('a rule waits until all earlier events of its principal are released, some hundred at a time', async () => {
  const { principalId, recordId } = await insertDue('many');
  await fixture.pool.query(
    `insert into service.events (id, principal_id, record_id, type, body, state, chain_id, block_number, block_order)
    select 'evt_many_' || at, $1, $2, 'agreement.transitioned', '{"data":{}}', 'pending', $3, $4, at
    from generate_series(1, 600) as at`,
    [principalId, recordId, chainId, String(confirmedBlock)],
  );
  const kinds = async () => {
    const feed = await readFeed(principalId);
    return [feed.length, feed.findIndex(({ type }) => type === 'agreement.notification.triggered')];
  };
  expect(await fire()).toMatchObject({ schedules: 0 });
  expect(await kinds()).toEqual([500, -1]);
  expect(await fire()).toMatchObject({ schedules: 1 });
  expect(await kinds()).toEqual([601, 600]);
});

test('mails of a transition that is released for the sake of a rule are sent, and those of other principals wait for their own', async () => {
  const [due, other] = [await insertDue('mailed'), await insertDue('waiting')];
  const { pool } = fixture;
  await pool.query(`update service.rule_schedules set next_number = 1 where record_id = $1`, [
    other.recordId,
  ]);
  for (const { recordId } of [due, other]) {
    await pool.query(
      `insert into service.rule_firings (id, record_id, principal_id, rule_id, recipient, occasion, trigger_type, channel, state,
        chain_id, block_number) select $1, $2, (select principal_id from service.records where id = $2), 'r', 'a@b.example', 'o', 'onTransition', 'email', 'pending', $3::int, $4::bigint`,
      [`evt_of_${recordId}`, recordId, chainId, String(confirmedBlock)],
    );
    await pool.query(
      `insert into service.mails (firing_id, address, subject, body, status) values ($1, 'a@b.example', 's', 'b', 'waiting')`,
      [`evt_of_${recordId}`],
    );
  }
  await fire();
  const { rows } = await pool.query(`select firing_id, status from service.mails order by firing_id`);
  expect(rows).toEqual([
    { firing_id: `evt_of_${due.recordId}`, status: 'due' },
    { firing_id: `evt_of_${other.recordId}`, status: 'waiting' },
  ]);
});

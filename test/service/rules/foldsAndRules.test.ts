import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDatabase } from '../../../src/platform/database/database.ts';
import { isDeadlock } from '../../../src/platform/database/deadlock.ts';
import { openFoldGate, shutFoldGate } from '../../../src/platform/database/foldGate.ts';
import { createId } from '../../../src/platform/database/ids.ts';
import { inTransaction } from '../../../src/platform/database/inTransaction.ts';
import { withConnection } from '../../../src/platform/database/withConnection.ts';
import { withTransaction } from '../../../src/platform/database/withTransaction.ts';
import { createEventIds } from '../../../src/records/events/eventIds.ts';
import { buildEventPart, type EventPart } from '../../../src/records/events/eventParts.ts';
import type { NewEvent } from '../../../src/records/events/newEvent.ts';
import { removeOldParts } from '../../../src/records/retention/oldRows.ts';
import { fireDueRules } from '../../../src/worker/notifier/fireDueRules.ts';
import { createProjector } from '../../../src/worker/projector/projector.ts';
import { releaseNow } from '../../../src/worker/publisher/releaseEvents.ts';
import { storeEvents } from '../../../src/worker/publisher/storeEvents.ts';
import { storeParts } from '../../../src/worker/publisher/storeParts.ts';
import { readLockWaits } from '../../support/lockWaits.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { input, toggle } from '../projector/support/scene.ts';
import {
  chainId,
  createFixture,
  emptyDatabase,
  type Fixture,
  reorgWindow,
  silent,
} from '../projector/support/setup.ts';
import { createRuleScene, type RuleScene, ruleOf } from './support/ruleScene.ts';

const condition = { type: 'stateAge' as const, threshold: { value: 1, unit: 'hours' as const } };
const rules = [
  // The same text each time, long enough to be stored apart from its events.
  ruleOf({
    notification: { channel: 'external_webhook', subject: 'Toggled', body: 'Toggled. '.repeat(500) },
  }),
  ruleOf({
    id: 'late',
    trigger: { type: 'temporal', states: ['dark', 'lit'], condition, fireOnce: true },
  }),
];

let fixture: Fixture;
let scene: RuleScene;
beforeAll(async () => {
  fixture = await createFixture();
});
beforeEach(async () => {
  await emptyDatabase(fixture);
  await fixture.pool.query('truncate service.event_parts cascade');
  scene = await createRuleScene(fixture, { rules });
  await scene.deployAt(1_000_000);
});
afterEach(() => scene.close());
afterAll(() => fixture.close());

/** The parts of the notifications of two toggles, one of which was folded. */
async function readParts(): Promise<EventPart[]> {
  await scene.mineAt(1_000_010, input(toggle('5')));
  return scene.query<EventPart>(sql`select id, text from service.event_parts order by id`);
}

/** An event of the scene's principal with these parts. */
function eventWith([notification, variables]: readonly EventPart[]): NewEvent {
  if (!notification || !variables) throw new Error('there are no parts');
  return {
    id: createId('evt'),
    principalId: scene.principalId,
    recordId: scene.recordId,
    type: 'agreement.notification.triggered',
    body: '{"data":{"ruleId":"late"',
    parts: { notification, variables },
    chainId,
    blockNumber: null,
    txHash: null,
    blockOrder: 0,
  };
}

const awaitWaiting = (who: string) =>
  waitUntil(`${who} waits`, async () => (await readLockWaits(fixture.pool)).length > 0);

const fire = () =>
  inTransaction(fixture.database, (transaction) =>
    fireDueRules(transaction, {
      chainId,
      clock: { nowMs: Date.now(), confirmedBlock: 100n },
      eventIds: createEventIds(Buffer.from('a secret')),
      createdAt: new Date(),
    }),
  );

test('a fold waits for no one who announces the same texts', async () => {
  const parts = await readParts();
  const handle = createDatabase({
    url: fixture.url,
    applicationName: 'projector',
    maxConnections: 3,
    logger: silent,
  });
  const chains = [{ chainId, confirmations: 1, reorgWindow }];
  const projector = createProjector({ pool: handle.pool, databaseUrl: fixture.url, chains, logger: silent });
  try {
    await projector.ready;
    for (const inputCount of [2, 3, 4, 5]) {
      await inTransaction(fixture.database, async (transaction) => {
        await releaseNow(transaction, [eventWith(parts)]);
        scene.add(input(toggle('5')));
        await scene.show();
        const isFolded = async () => (await scene.record(scene.recordId)).inputCount === inputCount;
        await waitUntil(`fold ${inputCount}`, isFolded);
      });
    }
  } finally {
    await projector.close();
    await handle.close();
  }
});

test('a fold and rules that fire for the same record and text end in no deadlock', async () => {
  const parts = await readParts();
  // Nobody has stored the values of the next toggle.
  const next = parts.map(({ text }) =>
    buildEventPart(scene.principalId, JSON.parse(text.replace('"brightness":"5"', '"brightness":"7"'))),
  );
  let folding: ReturnType<RuleScene['foldOnce']> | undefined;
  await inTransaction(fixture.database, async (transaction) => {
    await transaction.execute(
      sql`select 1 from service.rule_schedules where record_id = ${scene.recordId} for update`,
    );
    scene.add(input(toggle('7')));
    await scene.show();
    const started = scene.foldOnce();
    // The rejection is handled where `folding` is awaited below.
    started.catch(() => {});
    await awaitWaiting('the fold');
    await storeEvents(transaction, [eventWith(next)]);
    folding = started;
  });
  // The fold may find that its text was stored meanwhile. Then it begins again.
  const failure = await folding?.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(isDeadlock(failure)).toBe(false);
  const fold = () => scene.fold().catch(() => undefined);
  await waitUntil('the failed fold has given up its lock', async () => (await fold())?.kind === 'folded');
  expect(await scene.query(sql`select from service.event_parts`)).toHaveLength(3);
});

test('rules do not fire while a fold keeps others from changing its records', async () => {
  await withConnection(fixture.pool, async (client) => {
    await shutFoldGate(client, chainId);
    expect(await fire()).toMatchObject({ schedules: 0 });
    await openFoldGate(client, chainId);
  });
  expect(await fire()).toMatchObject({ schedules: 1, firings: 1 });
});

test('a rule whose state ends just as it is due fires later if a reorganisation takes that end back', async () => {
  const { recordId } = scene;
  let firing: ReturnType<typeof fire> | undefined;
  await inTransaction(fixture.database, async (transaction) => {
    await transaction.execute(
      sql`update service.rule_schedules set until_ms = 1000001000, until_block = 2 where record_id = ${recordId}`,
    );
    firing = fire();
    await awaitWaiting('the rule');
  });
  expect(await firing).toMatchObject({ firings: 0 });
  expect(await fire()).toMatchObject({ schedules: 0 });
  await scene.query(sql`update service.rule_schedules set until_ms = null, until_block = null`);
  expect(await fire()).toMatchObject({ firings: 1 });
});

/** Makes the parts old, as if nothing had used them for longer than events are kept. */
async function age(): Promise<void> {
  await fixture.pool.query(`update service.event_parts set used_at = now() - interval '91 days'`);
  await fixture.pool.query('update service.events set notification_part_id = null, variables_part_id = null');
}
const removeFrom = (client: Parameters<typeof removeOldParts>[0]) =>
  removeOldParts(client, { before: new Date(Date.now() - 90 * 86_400_000), limit: 10 });

test('a text that is used again is kept, although it was not used for long', async () => {
  const parts = await readParts();
  await age();
  const remove = () => withConnection(fixture.pool, removeFrom);
  await inTransaction(fixture.database, async (transaction) => {
    await storeParts(transaction, parts);
    expect(await remove()).toMatchObject({ eventParts: 0 });
    await storeEvents(transaction, [eventWith(parts)]);
    expect(await remove()).toMatchObject({ eventParts: 0 });
  });
  expect(await remove()).toMatchObject({ eventParts: 0 });
  expect(await scene.query(sql`select id, text from service.event_parts order by id`)).toEqual(parts);
});

test('a text that is used again while it is removed is stored once more', async () => {
  const parts = await readParts();
  await age();
  let storing: Promise<void> | undefined;
  await withTransaction(fixture.pool, async (client) => {
    expect(await removeFrom(client)).toMatchObject({ eventParts: 2 });
    storing = inTransaction(fixture.database, (transaction) => storeEvents(transaction, [eventWith(parts)]));
    // The rejection is handled where it is awaited below.
    storing.catch(() => {});
    await awaitWaiting('the one who uses it');
  });
  await storing;
  expect(await scene.query(sql`select id, text from service.event_parts order by id`)).toEqual(parts);
});

test('of two who use the same new text at the same moment neither fails', async () => {
  await readParts();
  const parts = ['one', 'another'].map((note) => buildEventPart(scene.principalId, { note }));
  const store = (transaction: Parameters<typeof storeEvents>[0]) =>
    storeEvents(transaction, [eventWith(parts)]);
  let second: Promise<void> | undefined;
  await inTransaction(fixture.database, async (transaction) => {
    await store(transaction);
    second = inTransaction(fixture.database, store);
    // The rejection is handled where it is awaited below.
    second.catch(() => {});
    await awaitWaiting('the second one');
  });
  await second;
  expect(await scene.query(sql`select from service.event_parts`)).toHaveLength(4);
});

import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { input, toggle } from '../projector/support/scene.ts';
import { createFixture, emptyDatabase, type Fixture } from '../projector/support/setup.ts';
import { createRuleScene, type RuleScene, ruleOf } from './support/ruleScene.ts';

/** More than one batch of releases has. */
const recipients = 250;
const rules = [1, 2, 3].map((number) => ruleOf({ id: `rule ${number}`, recipients: ['@observers'] }));

let fixture: Fixture;
let scene: RuleScene;
beforeAll(async () => {
  fixture = await createFixture();
});
beforeEach(async () => {
  await emptyDatabase(fixture);
  scene = await createRuleScene(fixture, { rules });
  await scene.query(sql`update service.records set observers = (
    select json_agg('o' || at || '@mail.example') from generate_series(1, ${recipients}::int) as at)`);
  await scene.deployAt(1_000_000);
});
afterEach(() => scene.close());
afterAll(() => fixture.close());

/** Makes a batch take longer than a fold may release. */
const slowReleases = `
  create function service.slow() returns trigger language plpgsql as $$ begin perform pg_sleep(1.5); return null; end $$;
  create trigger slow after update of position on service.events for each statement execute function service.slow();`;

test('notifications of a block that falls out before all of them are released come with the block again', async () => {
  const { pool } = fixture;
  const sent = input(toggle('5'));
  await pool.query(slowReleases);
  scene.add(sent);
  await scene.show();
  expect(await scene.foldOnce('new')).toMatchObject({ isComplete: false });
  const early = await scene.told();
  expect(early.length).toBeGreaterThan(0);
  expect(early.length).toBeLessThan(rules.length * recipients);
  await pool.query('drop trigger slow on service.events; drop function service.slow');

  scene.drop(1);
  scene.add();
  await scene.mine(sent);
  await scene.fold();
  const told = await scene.told();
  expect(told).toHaveLength(rules.length * recipients);
  expect(new Set(told.map(({ id }) => id)).size).toBe(rules.length * recipients);
  expect((await scene.firings()).filter(({ state }) => state !== 'released')).toEqual([]);
});

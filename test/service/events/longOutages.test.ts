import { expect, test } from 'vitest';
import { addressOfClone } from '../projector/support/chain.ts';
import { deployment, input, type Scene, toggle } from '../projector/support/scene.ts';
import { createFolder, type Fixture } from '../projector/support/setup.ts';
import { startSceneForEach } from '../support/startSceneForEach.ts';
import { readFeed, summarise } from './support/readFeed.ts';

const keptDays = 1;
const day = 86_400;
let fixture: Fixture;
let scene: Scene;
startSceneForEach(
  (started) => {
    ({ fixture, scene } = started);
  },
  { keptDays },
);

const told = async () => summarise((await readFeed(fixture.pool, scene.principalId)).events);
const addAt = (timestamp: number, ...events: Parameters<Scene['add']>) => {
  scene.add(...events).timestamp = timestamp;
};
const start = 1_000_000;

/** A deployment is folded, and then two inputs at once. The first of them is older than what is kept. */
async function passOutage(): Promise<void> {
  await scene.draft();
  await scene.mine(deployment());
  addAt(start + day / 2, input(toggle('1')));
  addAt(start + 3 * day, input(toggle('2')));
  await scene.show();
  await scene.fold();
}

test('transitions of an outage longer than events are kept are announced once it is over', async () => {
  await passOutage();
  expect(await told()).toEqual(['>dark __deploy 0', 'dark>lit toggle 1', 'lit>dark toggle 2']);
});

test('a deployment during such an outage is announced too', async () => {
  await scene.draft();
  addAt(start, deployment());
  addAt(start + 3 * day, input(toggle('1')));
  await scene.show();
  await scene.fold();
  expect(await told()).toEqual(['>dark __deploy 0', 'dark>lit toggle 1']);
});

test('a record that waits for its turn after such an outage is announced whole', async () => {
  await scene.draft();
  await scene.mine(deployment());
  const { pool } = fixture;
  addAt(start + day / 2, input(toggle('1')));
  addAt(start + 3 * day);
  await scene.show();
  await pool.query('update service.records set behind = true');
  await pool.query('update service.projections set head_number = 3');
  await scene.fold();
  expect(await told()).toEqual(['>dark __deploy 0', 'dark>lit toggle 1']);
});

test('a deployment that cannot be folded for longer than events are kept is announced once it can', async () => {
  const { recordId } = await scene.draft();
  addAt(start, deployment());
  await scene.show();
  const condemned = new Map([[recordId, 'failed before']]);
  await createFolder(fixture, { keptDays, condemned }).fold();
  expect(await told()).toEqual([]);
  addAt(start + 3 * day, input(toggle('1')));
  await scene.show();
  await scene.fold();
  await fixture.pool.query('update service.quarantined_records set retry_at = now()');
  await scene.fold();
  expect(await told()).toEqual(['>dark __deploy 0', 'dark>lit toggle 1']);
});

test('an input in the block of its deployment that does not fit into the same fold is announced in the next one', async () => {
  await scene.draft();
  await scene.mine(deployment());
  const { recordId } = await scene.draft({ nonce: 1n });
  const agreement = addressOfClone(1);
  const many = Array.from({ length: 2_100 }, (_, at) => input(toggle(String(at))));
  addAt(start, ...many, deployment(), input(toggle('1'), { agreement }));
  addAt(start + 3 * day);
  await scene.show();
  const shown = async () => (await scene.record(recordId)).inputCount;
  await scene.foldOnce();
  expect(await shown()).toBe(0);
  await scene.fold();
  expect(await shown()).toBe(1);
  const { rows } = await fixture.pool.query<{ body: string }>(
    'select body from service.events where record_id = $1 order by block_order',
    [recordId],
  );
  expect(rows.map(({ body }) => JSON.parse(body).data.inputId)).toEqual(['__deploy', 'toggle']);
});

test('removed events of these blocks are not made again when the blocks are folded again', async () => {
  await passOutage();
  const { pool } = fixture;
  await pool.query('delete from service.events');
  // As an earlier version leaves it.
  await pool.query('update service.records set announced_through = null');
  await pool.query('update service.folded_blocks set event_count = event_count + 1 where number = 1');
  await createFolder(fixture, { keptDays }).fold();
  expect(await told()).toEqual(['lit>dark toggle 2']);
});

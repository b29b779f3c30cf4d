import { expect, test } from 'vitest';
import { addressOfClone } from '../projector/support/chain.ts';
import { createLamp } from '../projector/support/lamp.ts';
import { alice, bob, clone, deployment, input, type Scene, toggle } from '../projector/support/scene.ts';
import { createFolder, type Fixture } from '../projector/support/setup.ts';
import { startSceneForEach } from '../support/startSceneForEach.ts';
import { readFeed, summarise } from './support/readFeed.ts';

const confirmations = 3;
let fixture: Fixture;
let scene: Scene;
startSceneForEach(
  (started) => {
    ({ fixture, scene } = started);
  },
  { confirmations },
);

const readTold = async () => (await readFeed(fixture.pool, scene.principalId)).events;
const tellShort = async () => summarise(await readTold());
/** Mines empty blocks until everything is confirmed. */
const confirm = async () => {
  for (let count = 1; count < confirmations; count++) await scene.mine();
};

test('an event waits for its confirmations, the including block counted, and the state does not', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  expect((await scene.record(recordId)).state).toBe('dark');
  expect(await tellShort()).toEqual([]);
  await scene.mine(input(toggle('5')));
  expect(await tellShort()).toEqual([]);
  await scene.mine();
  expect(await tellShort()).toEqual(['>dark __deploy 0']);
  await scene.mine();
  expect(await tellShort()).toEqual(['>dark __deploy 0', 'dark>lit toggle 1']);
});

test('events that are confirmed at once come in the order of their blocks, whatever the records', async () => {
  const recordIds: string[] = [];
  for (const nonce of [0n, 1n]) recordIds.push((await scene.draft({ nonce })).recordId);
  await scene.mine(deployment(), deployment());
  await confirm();
  const before = (await readTold()).length;
  const [last = '', first = ''] = recordIds.toSorted();
  const inputOf = (recordId: string) =>
    input(toggle('5'), { agreement: addressOfClone(recordIds.indexOf(recordId)) });
  scene.add(inputOf(first));
  scene.add(inputOf(last));
  for (let count = 1; count < confirmations; count++) scene.add();
  await scene.mine();
  const told = (await readTold()).slice(before);
  expect(told.map(({ data }) => data.agreementId)).toEqual([first, last]);
});

test('an event belongs to the agreement that a reorg has put at the address, and keeps its place in the order of that', async () => {
  for (const signer of [alice, bob]) await scene.draft({ signer });
  const deployments = [deployment(), deployment({ signer: bob })];
  const event = input(toggle('5'));
  await scene.mine(...deployments, event);
  scene.drop(1);
  await scene.mine(...deployments.toReversed(), event);
  await confirm();
  const { rows } = await fixture.pool.query<{ record_id: string; told: string; input: string }>(
    `select record_id, body::json->'data'->>'agreementId' as told, body::json->'data'->>'inputId' as input
    from service.events order by record_id, position`,
  );
  expect(rows.map(({ record_id }) => record_id)).toEqual(rows.map(({ told }) => told));
  expect(rows.map(({ input }) => input).toSorted()).toEqual(['__deploy', '__deploy', 'toggle']);
});

test('a transaction that a shallow reorg moves is announced once, with the same id', async () => {
  await scene.draft();
  await scene.mine(deployment());
  await confirm();
  const event = input(toggle('5'));
  await scene.mine(event);
  const before = await pendingIds();
  scene.drop(1);
  scene.add();
  await scene.mine(event);
  expect(await pendingIds()).toEqual(before);
  await confirm();
  expect(await tellShort()).toEqual(['>dark __deploy 0', 'dark>lit toggle 1']);
  expect((await readTold()).map(({ id }) => id)).toContain(before[0]);
});

async function pendingIds(): Promise<string[]> {
  const { rows } = await fixture.pool.query<{ id: string }>(
    `select id from service.events where state = 'pending' order by id`,
  );
  return rows.map(({ id }) => id);
}

test('a transition that fell out before its confirmations is never announced, but its replacement is', async () => {
  await scene.draft();
  await scene.mine(deployment());
  await confirm();
  await scene.mine(input(toggle('5')));
  scene.drop(1);
  scene.add();
  await scene.mine(input(toggle('6')));
  await confirm();
  const { rows } = await fixture.pool.query(
    `select state, count(*)::int as count from service.events group by state order by state`,
  );
  expect(rows).toEqual([
    { state: 'released', count: 2 },
    { state: 'withdrawn', count: 1 },
  ]);
  expect(await tellShort()).toEqual(['>dark __deploy 0', 'dark>lit toggle 1']);
});

test('a transaction that comes back with another state is announced in its final form', async () => {
  await scene.draft();
  await scene.mine(deployment());
  await confirm();
  const [first, second] = [input(toggle('5')), input(toggle('6'))];
  await scene.mine(first, second);
  scene.drop(1);
  scene.add();
  await scene.mine(second);
  await confirm();
  expect(await tellShort()).toEqual(['>dark __deploy 0', 'dark>lit toggle 1']);
});

test('a deployment that a shallow reorg moves to another address is announced once', async () => {
  const { recordId } = await scene.draft();
  const event = deployment();
  await scene.mine(event);
  scene.drop(1);
  const { signer: _none, ...stranger } = deployment({ lamp: createLamp('another') });
  await scene.mine(stranger, event);
  await confirm();
  expect((await scene.record(recordId)).address).toBe(addressOfClone(1));
  expect(await tellShort()).toEqual(['>dark __deploy 0']);
});

test('a deployment that fell out is not announced, and the record is a Draft', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  scene.drop(1);
  scene.add();
  await scene.mine();
  await confirm();
  expect((await scene.record(recordId)).status).toBe('Draft');
  expect(await tellShort()).toEqual([]);
});

test('a reorg below the confirmations corrects the record and announces nothing again that came back', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const [first, second, third] = [input(toggle('5')), input(toggle('6')), input(toggle('7'))];
  await scene.mine(first);
  await scene.mine(second);
  await confirm();
  const before = await readTold();
  expect(summarise(before)).toEqual(['>dark __deploy 0', 'dark>lit toggle 1', 'lit>dark toggle 2']);
  scene.drop(4);
  scene.add();
  scene.add(first);
  scene.add(second, third);
  const result = await (async () => {
    scene.add();
    await scene.show();
    return scene.fold();
  })();
  expect(result).toMatchObject({ kind: 'folded', events: { withdrawn: 0, released: 2 } });
  await confirm();
  expect(await scene.record(recordId)).toMatchObject({ state: 'lit', transitionCount: 3 });
  const after = await readTold();
  expect(after.slice(0, 3)).toEqual(before);
  expect(summarise(after.slice(3))).toEqual(['dark>lit toggle 3']);
});

test('an event that a reorg below the confirmations removed stays released', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  await scene.mine(input(toggle('5')));
  await confirm();
  scene.drop(3);
  for (let count = 0; count < 4; count++) scene.add();
  await scene.show();
  expect(await scene.fold()).toMatchObject({ events: { withdrawn: 0, released: 1 } });
  await confirm();
  expect(await scene.record(recordId)).toMatchObject({ state: 'dark', transitionCount: 0 });
  expect(await tellShort()).toEqual(['>dark __deploy 0', 'dark>lit toggle 1']);
});

test('an index that starts again with less, or is built anew, releases nothing and repeats nothing', async () => {
  await scene.draft();
  await scene.mine(deployment());
  await scene.mine(input(toggle('5')));
  await scene.mine();
  const before = await readTold();
  expect(summarise(before)).toEqual(['>dark __deploy 0']);
  const [first] = scene.chain();
  if (!first) throw new Error('the chain is empty');
  await fixture.index.show({ chainId: 59141, blocks: [first], head: first });
  expect((await scene.fold()).kind).toBe('waiting');
  await fixture.index.deploy();
  expect((await scene.fold()).kind).toBe('waiting');
  expect(await readTold()).toEqual(before);
  await scene.mine();
  await createFolder(fixture, { confirmations }).fold();
  const after = await readTold();
  expect(summarise(after)).toEqual(['>dark __deploy 0', 'dark>lit toggle 1']);
  expect(after.slice(0, 1)).toEqual(before);
});

test('without a head the confirmations are unknown, and nothing is released', async () => {
  await scene.draft();
  await scene.mine(deployment());
  scene.add();
  scene.add();
  scene.add(input(toggle('5')));
  scene.add(input(toggle('6')));
  await scene.show(null);
  await scene.fold();
  expect(await tellShort()).toEqual([]);
  await scene.show();
  await scene.fold();
  expect(await tellShort()).toEqual(['>dark __deploy 0']);
});

test('for an adopted agreement an event that waited is announced, even if a reorg puts its transition before the adoption', async () => {
  await scene.mine(deployment());
  await confirm();
  const { principalId, recordId } = await scene.askFor(addressOfClone(0));
  await fixture.pool.query('update service.records set adopted_through = 3 where id = $1', [recordId]);
  await scene.fold();
  const { signer: _none, ...foreign } = input(toggle('5'));
  await scene.mine(foreign);
  scene.drop(2);
  scene.add(foreign);
  scene.add();
  await scene.mine();
  expect(await scene.record(recordId)).toMatchObject({ stateBlockNumber: 3n, transitionCount: 1 });
  const { events } = await readFeed(fixture.pool, principalId);
  expect(summarise(events)).toEqual(['dark>lit toggle 1']);
});

test('transitions of a record displaced for some blocks are each announced once', async () => {
  const another = createLamp('another');
  await scene.draft();
  const own = deployment();
  const { signer: _none, ...imported } = deployment({ lamp: another });
  const asked = await scene.askFor(clone, another, scene.principalId);
  const toggles = [input(toggle('5')), input(toggle('6'))];
  const tellImported = async () =>
    summarise((await readTold()).filter(({ data }) => data.agreementId === asked.recordId));
  const [first, second] = toggles;
  if (!first || !second) throw new Error('there are no inputs');
  await scene.mine(imported, own);
  await scene.mine(first);
  await confirm();
  expect(await tellImported()).toEqual(['dark>lit toggle 1']);
  scene.drop(1 + confirmations);
  scene.add(own, imported);
  await scene.mine();
  expect(await scene.record(asked.recordId)).toMatchObject({ status: 'Draft', address: null });
  scene.drop(2);
  scene.add(imported, own);
  scene.add(first);
  await scene.mine(second);
  await confirm();
  expect(await tellImported()).toEqual(['dark>lit toggle 1', 'lit>dark toggle 2']);
});

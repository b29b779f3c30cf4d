import { expect, test } from 'vitest';
import { startSceneForEach } from '../support/startSceneForEach.ts';
import type { ChainBlock } from './support/chain.ts';
import { createLongRows, toggleAll } from './support/longRows.ts';
import { annotate, createScene, deployment, input, type Scene, toggle } from './support/scene.ts';
import { createFolder, type Fixture } from './support/setup.ts';

let fixture: Fixture;
let scene: Scene;
let rows: ReturnType<typeof createLongRows>;
startSceneForEach((started) => {
  ({ fixture, scene } = started);
  rows = createLongRows(fixture);
});

test('a history with payloads longer than are read at once is restored after a reorganisation', async () => {
  scene.add(deployment());
  scene.add(input(annotate('a')), input(toggle('5')), input(annotate('b')), input(toggle('6')));
  scene.add(input(toggle('7')));
  const { recordId } = await scene.draft();
  const long = async () => {
    await scene.show();
    await rows.lengthenPayloads(18_000_000, 'position = 1');
    await scene.fold();
  };
  await long();
  expect(await scene.record(recordId)).toMatchObject({ inputCount: 5, state: 'lit' });
  scene.drop(1);
  scene.add();
  await long();
  expect(await scene.record(recordId)).toMatchObject({
    inputCount: 4,
    state: 'dark',
    variables: { brightness: '6' },
  });
});

test('however many records a reorganisation shortens, none keeps what it has lost', async () => {
  const ids = await rows.askForMany(scene, 6);
  scene.add(...toggleAll(6, '5'));
  await scene.show();
  await scene.fold();
  await rows.lengthenDocuments(10_000_000);
  scene.drop(1);
  scene.add();
  await scene.show();
  await scene.foldOnce('rest');
  for (const id of ids) {
    expect(await scene.record(id)).toMatchObject({
      state: 'dark',
      inputCount: 0,
      variables: { brightness: '1' },
    });
  }
});

test('histories that take too long together to be restored after a reorganisation follow one by one', async () => {
  const confirmations = 4;
  scene = await createScene(fixture, { confirmations });
  const ids = await rows.askForMany(scene, 3);
  const [longest = ''] = ids;
  scene.add(...toggleAll(3, '5'), input(toggle('6')));
  scene.add(...toggleAll(3, '7'));
  await scene.show();
  await scene.fold();
  scene.drop(1);
  scene.add();
  scene.add(...toggleAll(3, '8'));
  await scene.show();
  const { inputId } = await scene.submit(longest, toggle('8'), { nonce: 2n });

  // The first part that is read of a history takes longer.
  const folder = createFolder(fixture, { confirmations, restoreLimitMs: 0.001 });
  const quarantined = () =>
    rows.rowsOf(`select phase, failures, left(error, 13) as error from service.quarantined_records`);
  const readBrightness = async () =>
    Promise.all(ids.map(async (id) => (await scene.record(id)).variables.brightness));
  const findOwn = async () => (await scene.history(longest)).find(({ id }) => id === inputId);
  await folder.fold();
  const aside = { phase: 'restore', failures: 1, error: 'The histories' };
  expect(await quarantined()).toEqual([aside, aside]);
  expect((await readBrightness()).toSorted()).toEqual(['7', '7', '8']);
  expect(await scene.record(longest)).toMatchObject({ inputCount: 3, variables: { brightness: '7' } });
  expect(await findOwn()).toMatchObject({ status: 'PENDING', position: null });

  await fixture.pool.query('update service.quarantined_records set retry_at = now()');
  await folder.fold();
  expect(await quarantined()).toEqual([]);
  expect(await readBrightness()).toEqual(['8', '8', '8']);
  expect(await findOwn()).toMatchObject({ status: 'MINED', position: 3 });
  expect((await rows.countEvents()).toSorted()).toEqual([3, 3, 4]);
});

test('a history that takes longer than a fold may restore is restored in parts, as far as its blocks stand', async () => {
  const confirmations = 4;
  scene = await createScene(fixture, { confirmations });
  const [id = ''] = await rows.askForMany(scene, 1);
  const addToggles = (count: number) =>
    scene.add(...Array.from({ length: count }, (_, at) => input(toggle(String(at)))));
  scene.add(
    input(annotate('with\0NUL')),
    ...Array.from({ length: 799 }, (_, at) => input(toggle(String(at)))),
  );
  addToggles(401);
  addToggles(3);
  await scene.show();
  await scene.fold();
  scene.drop(1);
  scene.add();
  await scene.show();
  const folder = createFolder(fixture, { confirmations, restoreLimitMs: 0.001 });
  const restored = () =>
    rows.rowsOf(
      `select failures, (replace(restored::text, '\\u0000', '')::json->>'inputCount')::int as restored
      from service.quarantined_records`,
    );
  const retry = async () => {
    await fixture.pool.query('update service.quarantined_records set retry_at = now()');
    await folder.fold();
  };
  await folder.fold();
  expect(await restored()).toEqual([{ failures: 1, restored: 500 }]);
  await retry();
  expect(await restored()).toEqual([{ failures: 1, restored: 1_000 }]);
  // The block of the last restored input falls out as well: what was restored of it is worth nothing.
  scene.drop(2);
  addToggles(201);
  scene.add();
  await scene.show();
  await retry();
  expect(await restored()).toEqual([{ failures: 1, restored: 500 }]);
  await retry();
  expect(await restored()).toEqual([]);
  await folder.fold();
  expect(await scene.record(id)).toMatchObject({
    inputCount: 1_001,
    behind: false,
    variables: { brightness: '200', remark: 'with\0NUL' },
    state: 'dark',
  });
});

test('a restored part is of no use while the record has fewer inputs, although their block is there again', async () => {
  const confirmations = 4;
  scene = await createScene(fixture, { confirmations });
  const [id = ''] = await rows.askForMany(scene, 1);
  const addToggles = (count: number) =>
    scene.add(...Array.from({ length: count }, (_, at) => input(toggle(String(at)))));
  addToggles(400);
  const back = addToggles(300);
  addToggles(1);
  await scene.show();
  await scene.fold();
  const folder = createFolder(fixture, { confirmations, restoreLimitMs: 0.001 });
  const replace = async (depth: number, again?: ChainBlock) => {
    scene.drop(depth);
    if (again) scene.add(...again.events).hash = again.hash;
    scene.add();
    await scene.show();
    await folder.fold();
  };
  const restored = () =>
    rows.rowsOf(`select (restored->>'inputCount')::int as restored from service.quarantined_records`);
  const retryAfter = (pause: string) =>
    fixture.pool.query('update service.quarantined_records set retry_at = now() + $1::interval', [pause]);
  await replace(1);
  await retryAfter('1 hour');
  expect(await restored()).toEqual([{ restored: 500 }]);
  await replace(2);
  await replace(1, back);
  expect(await scene.record(id)).toMatchObject({ inputCount: 701 });
  await retryAfter('0');
  await folder.fold();
  expect(await restored()).toEqual([]);
  await folder.fold();
  expect(await scene.record(id)).toMatchObject({ inputCount: 700, variables: { brightness: '299' } });
});

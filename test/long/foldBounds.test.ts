import { expect, test } from 'vitest';
import type { Fold } from '../../src/worker/projector/fold.ts';
import { addressOfClone } from '../service/projector/support/chain.ts';
import { lampVariables } from '../service/projector/support/lamp.ts';
import { createLongRows, toggleAll } from '../service/projector/support/longRows.ts';
import {
  alice,
  annotate,
  clone,
  createScene,
  deployment,
  input,
  type Scene,
  toggle,
} from '../service/projector/support/scene.ts';
import { chainId, type Fixture } from '../service/projector/support/setup.ts';
import { startSceneForEach } from '../service/support/startSceneForEach.ts';

let fixture: Fixture;
let scene: Scene;
let rows: ReturnType<typeof createLongRows>;
startSceneForEach((started) => {
  ({ fixture, scene } = started);
  rows = createLongRows(fixture);
});

const isComplete = (result: Fold) => result.kind === 'folded' && result.isComplete;
const countDeployed = async () =>
  (await rows.rowsOf(`select 1 from service.records where status = 'Deployed'`)).length;

test('a history of long payloads arrives in parts, each of whole blocks', async () => {
  scene.add(deployment());
  for (let count = 0; count < 3; count++) {
    scene.add(...Array.from({ length: 4 }, (_, at) => input(annotate(String(at)))));
  }
  await scene.show();
  await rows.lengthenPayloads(3_000_000);
  const added: number[] = [];
  for (let result: Fold | undefined; !result || !isComplete(result); ) {
    result = await scene.foldOnce();
    if (result.kind === 'folded') added.push(result.added);
  }
  expect(added).toEqual([2, 1, 1]);

  const { recordId } = await scene.draft();
  const counts: number[] = [];
  for (let isAll = false; !isAll; ) {
    isAll = isComplete(await scene.foldOnce());
    const record = await scene.record(recordId);
    counts.push(record.inputCount);
    expect(record.behind).toBe(!isAll);
    expect(Number(record.stateBlockNumber)).toBe(1 + record.inputCount / 4);
  }
  expect(counts).toEqual([4, 8, 12]);
  const history = await scene.history(recordId);
  expect(history.map(({ position }) => position)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1));
  expect(new Set(history.map(({ payload }) => payload.length))).toEqual(new Set([3_000_002]));
});

test('one block with longer payloads than are folded at once is folded as a whole', async () => {
  scene.add(deployment());
  scene.add(...Array.from({ length: 6 }, (_, at) => input(annotate(String(at)))), input(toggle('5')));
  await scene.show();
  await rows.lengthenPayloads(3_000_000, 'position <= 6');
  const { recordId } = await scene.draft();
  await scene.fold();
  expect(await scene.record(recordId)).toMatchObject({ inputCount: 7, behind: false, state: 'lit' });
});

test('a record that is larger than its variables may become now goes on, but does not grow', async () => {
  const [first] = await rows.askForMany(scene, 1);
  await fixture.pool.query(
    `update service.records set variables = json_build_object('holder', $2::text, 'brightness', '1', 'remark', repeat('a', 2000000))
    where id = $1`,
    [first, alice],
  );
  scene.add(...toggleAll(1, '5'));
  await scene.show();
  await scene.fold();
  await scene.mine(input(toggle('55')));
  expect((await scene.record(first ?? '')).variables).toMatchObject({
    brightness: '55',
    remark: 'a'.repeat(2_000_000),
  });
  await scene.mine(input(annotate('b'.repeat(2_000_001))));
  expect((await scene.record(first ?? '')).variables).toEqual({
    brightness: '55',
    holder: lampVariables.holder,
  });
});

test('records whose documents do not fit into one fold together are folded one part after the other', async () => {
  const ids = await rows.askForMany(scene, 12);
  await rows.lengthenDocuments(3_000_000);
  scene.add(deployment());
  const small = await scene.askFor(addressOfClone(12));
  await scene.show();
  await scene.fold();
  const counts: number[] = [];
  scene.add(...toggleAll(13, '5'));
  await scene.show();
  for (let isAll = false; !isAll; ) {
    const result = await scene.foldOnce('rest');
    isAll = isComplete(result);
    const shown = await Promise.all(ids.map((id) => scene.record(id)));
    for (const { inputCount, behind, state, stateBlockNumber } of shown) {
      expect(behind).toBe(inputCount === 0);
      expect(state).toBe(inputCount === 0 ? 'dark' : 'lit');
      expect(stateBlockNumber).toBe(inputCount === 0 ? 1n : 3n);
    }
    counts.push(shown.filter(({ inputCount }) => inputCount === 1).length);
    // Nobody waits behind all records of another principal.
    expect(await scene.record(small.recordId)).toMatchObject({ inputCount: 1, behind: false });
  }
  expect(counts).toEqual([5, 10, 12]);
  expect(await rows.countEvents()).toEqual(new Array(13).fill(1));
});

test('submissions to records that wait for a later fold keep their ids, and are announced once', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const others = await Promise.all(Array.from({ length: 2 }, () => scene.askFor(clone)));
  await scene.fold();
  const ids = [recordId, ...others.map((other) => other.recordId)];
  // What comes before an adoption is announced only if it was submitted here.
  await fixture.pool.query('update service.records set adopted_through = 100');
  const { inputId, transactionId } = await scene.submit(recordId, toggle('5'), { nonce: 0n });
  const own = new Map([[recordId, inputId]]);
  for (const id of ids.slice(1)) own.set(id, await scene.attach(id, toggle('5'), transactionId));
  await rows.lengthenDocuments(10_000_000);
  scene.add(input(toggle('5')), input(toggle('6')));
  await scene.show();
  const counts: number[] = [];
  for (let isAll = false; !isAll; ) {
    isAll = isComplete(await scene.foldOnce('rest'));
    let waiting = 0;
    for (const id of ids) {
      const { behind } = await scene.record(id);
      if (behind) waiting += 1;
      const status = behind ? 'PENDING' : 'MINED';
      expect((await scene.history(id))[0]).toMatchObject({ id: own.get(id), status });
    }
    counts.push(waiting);
    expect((await scene.transaction(transactionId)).state).toBe('mined');
  }
  expect(counts).toEqual([2, 1, 0]);
  for (const id of ids) {
    const history = await scene.history(id);
    expect(history.map(({ position, sequence }) => [position, sequence])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(await scene.record(id)).toMatchObject({ inputCount: 2, state: 'dark' });
    const events = await rows.rowsOf<{ block_number: string }>(
      'select block_number from service.events where record_id = $1 and block_number > 1',
      [id],
    );
    expect(events).toHaveLength(1);
  }
});

test('a reorganisation takes back what a record that waits for a later fold has not got yet', async () => {
  const ids = await rows.askForMany(scene, 6);
  await rows.lengthenDocuments(10_000_000);
  scene.add(...toggleAll(6, '5'));
  await scene.show();
  expect(isComplete(await scene.foldOnce('rest'))).toBe(false);
  scene.drop(1);
  scene.add(...toggleAll(3, '7'));
  scene.add();
  await scene.show();
  await scene.fold();
  const shown = await Promise.all(ids.map((id) => scene.record(id)));
  expect(shown.map(({ state, behind, inputCount }) => [state, behind, inputCount])).toEqual(
    ids.map((_, at) => (at < 3 ? ['lit', false, 1] : ['dark', false, 0])),
  );
  expect(await rows.countEvents()).toEqual(
    expect.arrayContaining([...new Array(3).fill(1), ...new Array(3).fill(0)]),
  );
});

test('Drafts whose documents do not fit into one fold together are Deployed one part after the other', async () => {
  const drafts = [];
  for (let nonce = 0n; nonce < 8n; nonce++) drafts.push(await scene.draft({ nonce }));
  // Failed first, as a reorganisation can leave them.
  await fixture.pool.query(`update service.transactions set state = 'failed', failure = $1`, [
    JSON.stringify({ reason: 'permit_expired', message: 'It expired.' }),
  ]);
  await scene.fold();
  for (const { recordId } of drafts) {
    expect((await scene.record(recordId)).error).toMatchObject({ reason: 'permit_expired' });
  }
  await rows.lengthenDocuments(5_000_000);
  scene.add(...drafts.map(() => deployment()));
  await scene.show();
  const counts: number[] = [];
  for (let isAll = false; !isAll; ) {
    isAll = isComplete(await scene.foldOnce('rest'));
    counts.push(await countDeployed());
    for (const { recordId, transactionId } of drafts) {
      expect((await scene.record(recordId)).error).toBe(null);
      expect((await scene.transaction(transactionId)).state).toBe('mined');
    }
  }
  expect(counts).toEqual([3, 6, 8]);
  expect(await rows.countEvents()).toEqual(new Array(8).fill(1));
});

test('values that make the variables too long are left out, after a reorganisation too, and the history goes on', async () => {
  const confirmations = 4;
  scene = await createScene(fixture, { confirmations });
  const [id = ''] = await rows.askForMany(scene, 1);
  const remark = 'x'.repeat(1_048_576);
  await scene.mine(input(annotate('short')));
  await scene.mine(input(annotate(remark)), input(toggle('5')));
  await scene.mine(input(toggle('6')));
  const readVariables = async () => (await scene.record(id)).variables;
  const { holder } = lampVariables;
  expect(await readVariables()).toEqual({ holder, brightness: '6' });
  expect((await scene.history(id)).map(({ values }) => values.remark)).toEqual([
    'short',
    remark,
    undefined,
    undefined,
  ]);
  scene.drop(1);
  await scene.mine(input(toggle('7')));
  expect(await readVariables()).toEqual({ holder, brightness: '7' });
  await scene.mine(input(annotate('short again')));
  expect(await readVariables()).toEqual({ holder, brightness: '7', remark: 'short again' });
  expect(await rows.rowsOf('select 1 from service.quarantined_records')).toEqual([]);
});

test('submissions to a quarantined record wait for its retry, and take the places of their rows then', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  await scene.mine(input(toggle('5')));
  await fixture.pool.query(
    `insert into service.quarantined_records (record_id, chain_id, phase, error, retry_at)
    values ($1, $2, 'continue', 'planted', now() + interval '1 day')`,
    [recordId, chainId],
  );
  const stored = await scene.submit(recordId, toggle('5'), { nonce: 0n });
  const next = await scene.submit(recordId, toggle('6'), { nonce: 1n });
  await scene.mine(input(toggle('6')));
  await scene.fold();
  for (const { inputId, transactionId } of [stored, next]) {
    const found = (await scene.history(recordId)).find(({ id }) => id === inputId);
    expect(found).toMatchObject({ status: 'PENDING', position: null });
    expect((await scene.transaction(transactionId)).state).toBe('mined');
  }
  await fixture.pool.query('update service.quarantined_records set retry_at = now()');
  await scene.fold();
  expect(await scene.history(recordId)).toMatchObject([
    { id: stored.inputId, status: 'MINED', position: 1, sequence: 1 },
    { id: next.inputId, status: 'MINED', position: 2, sequence: 2 },
  ]);
  expect(await scene.record(recordId)).toMatchObject({ inputCount: 2, state: 'dark' });
  expect(await rows.rowsOf('select 1 from service.quarantined_records')).toEqual([]);
  expect(await rows.countEvents()).toEqual([3]);
});

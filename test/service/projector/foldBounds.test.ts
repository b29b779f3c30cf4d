import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Fold } from '../../../src/worker/projector/fold.ts';
import { ruleOf } from '../rules/support/ruleScene.ts';
import { addressOfClone } from './support/chain.ts';
import { lampVariables } from './support/lamp.ts';
import {
  alice,
  annotate,
  clone,
  createScene,
  deployment,
  input,
  lamp,
  type Scene,
  toggle,
} from './support/scene.ts';
import * as service from './support/serviceRows.ts';
import { chainId, createFixture, createFolder, emptyDatabase, type Fixture } from './support/setup.ts';

let fixture: Fixture;
let scene: Scene;
beforeAll(async () => {
  fixture = await createFixture();
});
beforeEach(async () => {
  await emptyDatabase(fixture);
  scene = await createScene(fixture);
});
afterAll(() => fixture.close());

const rowsOf = async <Row extends object>(query: string, values: unknown[] = []) =>
  (await fixture.pool.query<Row>(query, values)).rows;
/** Payloads that are no list of fields: so many characters each, of the inputs that the condition names. */
const lengthenPayloads = (characters: number, where = 'true') =>
  fixture.pool.query(
    `update chain_index.inputs set payload = '0x' || repeat('ab', ${characters / 2}) where ${where}`,
  );
/** Each record gets a document of its own with so many characters. */
const lengthenDocuments = (characters: number, where = 'true') =>
  fixture.pool.query(
    `update service.records set document = document || repeat(' ', ${characters}), doc_hash = '0x' || md5(id) || md5(id)
    where ${where}`,
  );
const isComplete = (result: Fold) => result.kind === 'folded' && result.isComplete;
const countDeployed = async () =>
  (await rowsOf(`select 1 from service.records where status = 'Deployed'`)).length;
/** How many transitions of each record were announced, in the order of the records. */
const countEvents = async () =>
  (
    await rowsOf<{ events: number }>(
      `select (select count(*)::int from service.events where record_id = r.id) as events from service.records r`,
    )
  ).map(({ events }) => events);

/** Records of one principal, each of another agreement. */
async function askForMany(count: number): Promise<string[]> {
  scene.add(...Array.from({ length: count }, () => deployment()));
  await scene.show();
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    const record = { principalId: scene.principalId, chainId, lamp, address: addressOfClone(at) };
    ids.push(await service.insertRecord(fixture.database, record));
  }
  await scene.fold();
  return ids;
}

const toggleAll = (count: number, brightness: string) =>
  Array.from({ length: count }, (_, at) => input(toggle(brightness), { agreement: addressOfClone(at) }));

test('a history of long payloads arrives in parts, each of whole blocks', async () => {
  scene.add(deployment());
  for (let count = 0; count < 3; count++) {
    scene.add(...Array.from({ length: 4 }, (_, at) => input(annotate(String(at)))));
  }
  await scene.show();
  await lengthenPayloads(3_000_000);
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
  await lengthenPayloads(3_000_000, 'position <= 6');
  const { recordId } = await scene.draft();
  await scene.fold();
  expect(await scene.record(recordId)).toMatchObject({ inputCount: 7, behind: false, state: 'lit' });
});

test('a history with payloads longer than are read at once is restored after a reorganisation', async () => {
  scene.add(deployment());
  scene.add(input(annotate('a')), input(toggle('5')), input(annotate('b')), input(toggle('6')));
  scene.add(input(toggle('7')));
  const { recordId } = await scene.draft();
  const long = async () => {
    await scene.show();
    await lengthenPayloads(18_000_000, 'position = 1');
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

test('a record that is larger than its variables may become now goes on, but does not grow', async () => {
  const [first] = await askForMany(1);
  await fixture.pool.query(
    `update service.records set variables = json_build_object('holder', $2::text, 'brightness', '1', 'remark', repeat('a', 9000000))
    where id = $1`,
    [first, alice],
  );
  scene.add(...toggleAll(1, '5'));
  await scene.show();
  await scene.fold();
  await scene.mine(input(toggle('55')));
  expect((await scene.record(first ?? '')).variables).toMatchObject({
    brightness: '55',
    remark: 'a'.repeat(9_000_000),
  });
  await scene.mine(input(annotate('b'.repeat(9_000_001))));
  expect((await scene.record(first ?? '')).variables).toEqual({
    brightness: '55',
    holder: lampVariables.holder,
  });
});

test('records whose documents do not fit into one fold together are folded one part after the other', async () => {
  const ids = await askForMany(12);
  await lengthenDocuments(3_000_000);
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
  expect(await countEvents()).toEqual(new Array(13).fill(1));
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
  await lengthenDocuments(10_000_000);
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
    const events = await rowsOf<{ block_number: string }>(
      'select block_number from service.events where record_id = $1 and block_number > 1',
      [id],
    );
    expect(events).toHaveLength(1);
  }
});

test('a reorganisation takes back what a record that waits for a later fold has not got yet', async () => {
  const ids = await askForMany(6);
  await lengthenDocuments(10_000_000);
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
  expect(await countEvents()).toEqual(
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
  await lengthenDocuments(5_000_000);
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
  expect(await countEvents()).toEqual(new Array(8).fill(1));
});

test('however many records a reorganisation shortens, none keeps what it has lost', async () => {
  const ids = await askForMany(6);
  scene.add(...toggleAll(6, '5'));
  await scene.show();
  await scene.fold();
  await lengthenDocuments(10_000_000);
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
  const ids = await askForMany(3);
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
    rowsOf(`select phase, failures, left(error, 13) as error from service.quarantined_records`);
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
  expect((await countEvents()).toSorted()).toEqual([3, 3, 4]);
});

test('a history that takes longer than a fold may restore is restored in parts, as far as its blocks stand', async () => {
  const confirmations = 4;
  scene = await createScene(fixture, { confirmations });
  const [id = ''] = await askForMany(1);
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
    rowsOf(
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

test('values that make the variables too long are left out, after a reorganisation too, and the history goes on', async () => {
  const confirmations = 4;
  scene = await createScene(fixture, { confirmations });
  const [id = ''] = await askForMany(1);
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
  expect(await rowsOf('select 1 from service.quarantined_records')).toEqual([]);
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
  expect(await rowsOf('select 1 from service.quarantined_records')).toEqual([]);
  expect(await countEvents()).toEqual([3]);
});

/** A record whose every transition notifies so many recipients. */
async function draftNotifying(recipients: number): Promise<string> {
  const { recordId } = await scene.draft();
  const rule = ruleOf({
    trigger: { type: 'onTransition' },
    recipients: Array.from({ length: recipients }, (_, at) => `reader${at}@mail.example`),
  });
  await fixture.pool.query('update service.records set notification_template = $1', [
    JSON.stringify({ rules: [rule] }),
  ]);
  return recordId;
}

test('transitions that notify many are folded a few at a time, and each notifies everybody once', async () => {
  const recordId = await draftNotifying(250);
  await scene.mine(deployment());
  await scene.fold();
  const other = await scene.askFor(clone);
  await scene.fold();
  for (let block = 0; block < 6; block++) {
    scene.add(...Array.from({ length: 4 }, (_, at) => input(toggle(String(4 * block + at)))));
  }
  await scene.show();
  // Rows are read in the order of their last change: the one without rules comes second.
  await fixture.pool.query('update service.records set updated_at = now() where id = $1', [other.recordId]);
  const counts: number[] = [];
  for (let isAll = false; !isAll; ) {
    isAll = isComplete(await scene.foldOnce('rest'));
    counts.push((await scene.record(recordId)).inputCount);
    // A record without rules does not wait for the notifications of another one.
    expect(await scene.record(other.recordId)).toMatchObject({ inputCount: 24, behind: false });
  }
  expect(counts).toEqual([8, 16, 24]);
  const firings = await rowsOf<{ count: number }>(
    'select count(*)::int as count from service.rule_firings where record_id = $1 group by occasion',
    [recordId],
  );
  // With the one of the deployment.
  expect(firings).toEqual(Array.from({ length: 25 }, () => ({ count: 250 })));
});

test('a block whose inputs would notify too many is announced whole, and its last inputs notify nobody', async () => {
  const recordId = await draftNotifying(250);
  await scene.mine(deployment());
  await scene.fold();
  scene.add(...Array.from({ length: 83 }, (_, at) => input(toggle(String(at)))));
  await scene.show();
  await scene.fold();
  expect(await scene.record(recordId)).toMatchObject({ inputCount: 83, behind: false });
  expect(await rowsOf('select 1 from service.quarantined_records')).toEqual([]);
  expect(
    await rowsOf(`select count(*)::int as count from service.events where type = 'agreement.transitioned'`),
  ).toEqual([{ count: 84 }]);
  expect(await rowsOf('select count(*)::int as count from service.rule_firings')).toEqual([
    { count: 250 + 20_000 },
  ]);
  // The next block's inputs notify everybody again.
  await scene.mine(input(toggle('0')));
  await scene.fold();
  expect(await rowsOf('select count(*)::int as count from service.rule_firings')).toEqual([
    { count: 250 + 20_000 + 250 },
  ]);
});

test('in a block with too many transitions, rules of time are scheduled for the last state only', async () => {
  const { recordId } = await scene.draft();
  const rules = ['dark', 'lit'].flatMap((state) =>
    Array.from({ length: 120 }, (_, at) =>
      ruleOf({
        id: `${state}${at}`,
        trigger: {
          type: 'temporal',
          states: [state],
          condition: { type: 'stateAge', threshold: { value: 1, unit: 'days' } },
        },
      }),
    ),
  );
  await fixture.pool.query('update service.records set notification_template = $1', [
    JSON.stringify({ rules }),
  ]);
  await scene.mine(deployment());
  await scene.fold();
  scene.add(...Array.from({ length: 85 }, (_, at) => input(toggle(String(at)))));
  await scene.show();
  await scene.fold();
  const { state } = await scene.record(recordId);
  const open = await rowsOf<{ state: string; count: number }>(
    'select state, count(*)::int as count from service.rule_schedules where until_ms is null group by state',
  );
  expect(open).toEqual([{ state, count: 120 }]);
  const passed = await rowsOf<{ count: number }>(
    'select count(*)::int as count from service.rule_schedules where until_ms is not null',
  );
  // Those of the state before the block.
  expect(passed[0]?.count).toBeLessThanOrEqual(120);
});

import { expect, test } from 'vitest';
import { nameHash } from '../../../src/protocol/names.ts';
import { startSceneForEach } from '../support/startSceneForEach.ts';
import { block, uniqueHash } from './support/chain.ts';
import { annotate, deployment, input, lamp, type Scene, toggle } from './support/scene.ts';
import type { Fixture } from './support/setup.ts';

let fixture: Fixture;
let scene: Scene;
startSceneForEach((started) => {
  ({ fixture, scene } = started);
});

test('a payload that is no list of fields, or differs from the document, is kept unchanged and stops nothing', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const word = (value: number) => value.toString(16).padStart(64, '0');
  const id = nameHash('remark').slice(2);
  const text = '00610062'.padEnd(64, '0');
  // One field: `remark`, a text that contains a NUL character.
  const withNul: `0x${string}` = `0x${word(32)}${word(1)}${word(32)}${id}${word(1)}${word(96)}${word(96)}${word(32)}${word(4)}${text}`;
  // One field, of a type that does not exist.
  const strange: `0x${string}` = `0x${word(32)}${word(1)}${word(32)}${id}${word(9)}${word(96)}${word(32)}${word(7)}`;
  await scene.mine(
    input(annotate('x'), { payload: '0xdeadbeef' }),
    input(annotate('x'), { payload: withNul }),
    input(annotate('x'), { payload: strange }),
  );
  await scene.mine(input(toggle('5')));
  const history = await scene.history(recordId);
  expect(history.map(({ values }) => values)).toEqual([
    {},
    { remark: '\u0000a\u0000b' },
    { remark: `0x${word(7)}` },
    { brightness: '5' },
  ]);
  expect(history[0]?.payload).toBe('0xdeadbeef');
  expect(await scene.record(recordId)).toMatchObject({
    state: 'lit',
    inputCount: 4,
    variables: { remark: '\u0000a\u0000b', brightness: '5' },
  });
});

test('states and inputs without a storable name in the document appear by their hash', async () => {
  const unstorable = 'l\u0000t';
  const text = lamp.text.replaceAll('"lit"', JSON.stringify(unstorable)).replaceAll('"toggle"', '"switch"');
  const { recordId } = await scene.draft();
  await fixture.pool.query('update service.records set document = $1, doc_hash = $2', [text, uniqueHash()]);
  scene.add(deployment(), input(toggle('5')));
  await scene.show();
  await fixture.pool.query('update chain_index.inputs set to_state = $1', [nameHash(unstorable)]);
  await scene.fold();
  expect(await scene.record(recordId)).toMatchObject({
    state: nameHash(unstorable),
    lastInputId: nameHash('toggle'),
  });
});

test('a history longer than one fold arrives in parts, each of whole blocks, while other records go on', async () => {
  const perBlock = 900;
  scene.add(deployment());
  for (let count = 0; count < 3; count++) {
    scene.add(...Array.from({ length: perBlock }, (_, at) => input(toggle(String(at)))));
  }
  await scene.show();
  await scene.fold();
  const { recordId } = await scene.draft();
  const counts: number[] = [];
  for (let isComplete = false; !isComplete; ) {
    const result = await scene.foldOnce();
    if (result.kind !== 'folded') throw new Error('nothing was folded');
    const record = await scene.record(recordId);
    counts.push(record.inputCount);
    expect(record.status).toBe('Deployed');
    expect(Number(record.stateBlockNumber)).toBe(1 + record.inputCount / perBlock);
    expect(record.variables.brightness).toBe(record.inputCount === 0 ? '1' : String(perBlock - 1));
    isComplete = result.isComplete;
  }
  expect(counts.at(-1)).toBe(3 * perBlock);
  expect(counts.length).toBeGreaterThan(1);
  expect((await scene.record(recordId)).behind).toBe(false);
});

test('one block with more inputs than are folded at once is folded as a whole', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment(), ...Array.from({ length: 2_300 }, (_, at) => input(toggle(String(at)))));
  expect(await scene.record(recordId)).toMatchObject({ inputCount: 2_300, behind: false, state: 'dark' });
});

test('a time far beyond what can be stored stops nothing', async () => {
  const { recordId } = await scene.draft({ deadline: 2n ** 60n });
  const strange = block(1, [deployment(), input(toggle('5'))], 2 ** 52);
  await fixture.index.show({ chainId: 59141, blocks: [strange], head: strange });
  await scene.fold();
  expect((await scene.record(recordId)).state).toBe('lit');
});

import { expect, test } from 'vitest';
import { startSceneForEach } from '../support/startSceneForEach.ts';
import { addressOfClone } from './support/chain.ts';
import { createLamp } from './support/lamp.ts';
import { annotate, deployment, input, type Scene, toggle } from './support/scene.ts';
import { chainId, createFolder, type Fixture } from './support/setup.ts';

let fixture: Fixture;
let scene: Scene;
startSceneForEach((started) => {
  ({ fixture, scene } = started);
});

test('an indexer that starts again and has less makes nothing go back, whatever it says of its head', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  await scene.mine(input(toggle('5')));
  const before = [await scene.record(recordId), await scene.history(recordId)];
  const [first] = scene.chain();
  if (!first) throw new Error('the chain is empty');
  for (const head of [first, null]) {
    await fixture.index.show({ chainId, blocks: [first], head });
    expect((await scene.fold()).kind).toBe('waiting');
  }
  await fixture.index.deploy();
  expect((await scene.fold()).kind).toBe('waiting');
  await fixture.index.show({ chainId, blocks: [], head: first });
  expect((await scene.fold()).kind).toBe('waiting');
  expect([await scene.record(recordId), await scene.history(recordId)]).toEqual(before);
});

test('without a head nothing is taken back, and the last block waits for what may be missing of it', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  scene.drop(1);
  scene.add(deployment({ lamp: createLamp('another') }));
  scene.add();
  scene.add(input(toggle('5')));
  scene.add(input(toggle('6')));
  await scene.show(null);
  expect((await scene.fold()).kind).toBe('waiting');
  expect((await scene.record(recordId)).status).toBe('Deployed');

  const { recordId: other } = await scene.askFor(addressOfClone(0));
  scene.drop(4);
  scene.add(deployment());
  scene.add(input(toggle('5')));
  scene.add(input(toggle('6')));
  await emptyFolds();
  await scene.show(null);
  await scene.fold();
  expect(await scene.record(other)).toMatchObject({
    status: 'Deployed',
    inputCount: 1,
    stateBlockNumber: 2n,
  });
});

/** Deletes everything folded, as if no fold had run yet. */
async function emptyFolds(): Promise<void> {
  await fixture.pool.query(`truncate service.folded_blocks, service.projections, service.events cascade`);
  await fixture.pool.query(`delete from service.records where deploy_transaction_id is not null`);
}

test('blocks ahead of the head, of a backfill that goes on, are not folded yet', async () => {
  const { recordId } = await scene.draft();
  const head = scene.add(deployment());
  scene.add(input(toggle('5')));
  await scene.show(head);
  await scene.fold();
  expect(await scene.record(recordId)).toMatchObject({
    status: 'Deployed',
    inputCount: 0,
    stateBlockNumber: 1n,
  });
  await scene.show();
  await scene.fold();
  expect(await scene.record(recordId)).toMatchObject({ inputCount: 1, stateBlockNumber: 2n });
});

test('another deployment of the index that shows another history far back is believed once it has caught up', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  await scene.mine(input(toggle('5')));
  for (let count = 0; count < 12; count++) await scene.mine(input(annotate(String(count))));
  scene.drop(13);
  scene.add(input(annotate('other')));
  await fixture.index.deploy();
  await scene.show();
  expect((await scene.fold()).kind).toBe('waiting');
  while (scene.chain().length < 16) scene.add();
  await scene.show();
  expect((await scene.fold()).kind).toBe('folded');
  expect(await scene.record(recordId)).toMatchObject({
    state: 'dark',
    variables: { brightness: '1', remark: 'other' },
    inputCount: 1,
    stateBlockNumber: 2n,
  });
});

test('another deployment of the index that takes over at full height is compared in full', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  for (let count = 0; count < 14; count++) await scene.mine();
  const height = scene.chain().length;
  scene.drop(height - 1);
  scene.add(input(toggle('5')));
  while (scene.chain().length <= height) scene.add();
  await fixture.index.deploy();
  await scene.show();
  expect((await scene.fold()).kind).toBe('folded');
  expect(await scene.record(recordId)).toMatchObject({ state: 'lit', inputCount: 1, stateBlockNumber: 2n });
});

test('an index that went back and shows another history below its window is compared in full', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  for (let count = 0; count < 14; count++) await scene.mine();
  const kept = scene.chain().length;
  scene.drop(kept - 1);
  scene.add(input(toggle('5')));
  while (scene.chain().length < kept - 1) scene.add();
  await scene.show();
  await scene.fold();
  expect(await scene.record(recordId)).toMatchObject({ state: 'lit', inputCount: 1 });
});

test('a block that was indexed twice is folded again once the index is right', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  scene.add(input(toggle('5')));
  await scene.show();
  // Imitates an indexer that took the same block for a new one.
  await fixture.pool.query(`
    create temporary table twice as select * from chain_index.inputs;
    update twice set position = 2, transaction_ordinal = 1, from_state = to_state;
    insert into chain_index.inputs select * from twice;
    drop table twice;
    update chain_index.agreements set input_count = 2`);
  await scene.fold();
  expect(await scene.history(recordId)).toHaveLength(2);

  await scene.show();
  await scene.fold();
  expect(await scene.history(recordId)).toMatchObject([{ status: 'MINED', blockNumber: 2n }]);
  expect(await scene.record(recordId)).toMatchObject({ state: 'lit', inputCount: 1, stateBlockNumber: 2n });
});

test('a process that has just started compares everything, however far back', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  for (let count = 0; count < 14; count++) await scene.mine(input(annotate(String(count))));
  const look = async () => {
    const { updatedAt: _later, ...record } = await scene.record(recordId);
    return [record, (await scene.history(recordId)).map(({ updatedAt: _too, ...row }) => row)];
  };
  const before = await look();
  await fixture.pool.query(`update service.folded_blocks set hash = '0x00' where number = 3`);
  expect(await scene.fold()).toMatchObject({ retracted: [], added: 0 });
  const result = await createFolder(fixture).fold();
  // Each block builds on those before it, so all later blocks are folded again too.
  expect(result).toMatchObject({
    retracted: Array.from({ length: 13 }, (_, at) => BigInt(at + 3)),
    added: 13,
  });
  expect(await look()).toEqual(before);
});

test('another process, which has not seen the chain before, finds the same', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  await scene.mine(input(toggle('5')));
  const before = [await scene.record(recordId), await scene.history(recordId)];
  const result = await createFolder(fixture).fold();
  expect(result).toMatchObject({ kind: 'folded', retracted: [], added: 0, records: 0, transactions: 0 });
  expect([await scene.record(recordId), await scene.history(recordId)]).toEqual(before);
});

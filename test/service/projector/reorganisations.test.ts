import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addressOfClone, block } from './support/chain.ts';
import { createLamp } from './support/lamp.ts';
import { annotate, clone, createScene, deployment, input, type Scene, toggle } from './support/scene.ts';
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

test('an input that falls out is forgotten, state and variables are those before it', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  await scene.mine(input(toggle('5')));
  await scene.mine(input(annotate('bright')), input(toggle('7')));
  scene.drop(1);
  await scene.mine();
  expect(await scene.record(recordId)).toMatchObject({
    state: 'lit',
    variables: { brightness: '5', remark: '' },
    inputCount: 1,
    transitionCount: 1,
    lastInputId: 'toggle',
    stateBlockNumber: 2n,
    lastInputAt: new Date(1_000_020_000),
  });
  expect(await scene.history(recordId)).toHaveLength(1);
});

test('an own submission that falls out waits again, and is MINED under the same id when it comes back', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const { inputId, transactionId } = await scene.submit(recordId, toggle('5'), { nonce: 0n });
  const event = input(toggle('5'));
  await scene.mine(event);
  scene.drop(1);
  await scene.mine();
  expect(await scene.history(recordId)).toMatchObject([
    {
      id: inputId,
      status: 'PENDING',
      txHash: event.txHash,
      position: null,
      blockNumber: null,
      toState: null,
    },
  ]);
  expect(await scene.transaction(transactionId)).toMatchObject({ state: 'accepted', minedBlockNumber: null });
  expect(await scene.record(recordId)).toMatchObject({ state: 'dark', inputCount: 0, lastInputId: null });
  await scene.mine(event);
  expect(await scene.history(recordId)).toMatchObject([{ id: inputId, status: 'MINED', blockNumber: 3n }]);
  expect(await scene.transaction(transactionId)).toMatchObject({ state: 'mined', minedBlockNumber: 3n });
});

test('what others sent keeps its id when a reorganisation moves it to another block', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const event = input(toggle('5'));
  await scene.mine(event);
  const [before] = await scene.history(recordId);
  scene.drop(1);
  scene.add();
  await scene.mine(event);
  const [after, ...others] = await scene.history(recordId);
  expect(others).toEqual([]);
  expect(after).toMatchObject({ id: before?.id, blockNumber: 3n });
});

test.each([
  { wallet: null, attempts: 1, isAccepted: true, state: 'accepted' },
  { wallet: clone, attempts: 1, isAccepted: false, state: 'signed' },
  { wallet: clone, attempts: 2, isAccepted: true, state: 'broadcast' },
])('a transaction that falls out is $state again where that is how far it had come', async (case_) => {
  const { wallet, attempts, isAccepted, state } = case_;
  const { recordId, transactionId } = await scene.draft();
  const { pool } = fixture;
  await pool.query('update service.transactions set wallet = $2, wallet_nonce = 0 where id = $1', [
    transactionId,
    wallet,
  ]);
  const hashes = Array.from({ length: attempts }, () => block(0).hash);
  for (const [at, hash] of hashes.entries()) {
    await pool.query(
      `insert into service.transaction_attempts (transaction_id, chain_id, wallet, wallet_nonce, tx_hash,
         raw_transaction, max_fee_per_gas, max_priority_fee_per_gas, gas, accepted_at)
       values ($1, $2, $3, 0, $4, '0x', 1, 1, 1, $5)`,
      [transactionId, chainId, clone, hash, isAccepted && at === 0 ? new Date() : null],
    );
  }
  const event = deployment();
  await scene.mine(event);
  scene.drop(1);
  await scene.mine();
  const txHash = wallet === null ? event.txHash : hashes.at(-1);
  expect(await scene.transaction(transactionId)).toMatchObject({ state, txHash });
  expect(await scene.record(recordId)).toMatchObject({ status: 'Draft', address: null, state: null });
});

test('a deployment that comes back at another address takes its record along', async () => {
  const { recordId } = await scene.draft();
  const event = deployment();
  await scene.mine(event, input(toggle('5')));
  scene.drop(1);
  const { signer: _none, ...stranger } = deployment({ lamp: createLamp('another') });
  await scene.mine(stranger, event);
  const second = addressOfClone(1);
  expect(await scene.record(recordId)).toMatchObject({
    status: 'Deployed',
    address: second,
    state: 'dark',
    inputCount: 0,
  });
  expect(await scene.history(recordId)).toEqual([]);
});

test('a record that was asked for by address waits for that address again', async () => {
  const { recordId } = await scene.askFor(clone);
  const event = deployment();
  await scene.mine(event, input(toggle('5')));
  scene.drop(1);
  await scene.mine();
  expect(await scene.record(recordId)).toMatchObject({ status: 'Draft', address: clone, inputCount: 0 });
  await scene.mine(event);
  expect(await scene.record(recordId)).toMatchObject({ status: 'Deployed', address: clone, state: 'dark' });
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

/** As if nothing had been folded yet. */
async function emptyFolds(): Promise<void> {
  await fixture.pool.query(`truncate service.folded_blocks, service.projections`);
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
  // A block stands on those before it: whatever came after is folded anew as well.
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

import { expect, test } from 'vitest';
import { nameHash } from '../../../src/protocol/names.ts';
import { startSceneForEach } from '../support/startSceneForEach.ts';
import { uniqueHash } from './support/chain.ts';
import { createLamp } from './support/lamp.ts';
import {
  alice,
  annotate,
  bob,
  clone,
  deployment,
  input,
  relayer,
  type Scene,
  toggle,
} from './support/scene.ts';

let scene: Scene;
startSceneForEach((started) => {
  ({ scene } = started);
});

test("a Draft becomes Deployed with the chain's data, whoever submitted its permit", async () => {
  const { recordId } = await scene.draft();
  const event = deployment({ sender: bob });
  await scene.mine(event);
  expect(await scene.record(recordId)).toMatchObject({
    status: 'Deployed',
    address: clone,
    owner: alice,
    state: 'dark',
    stateHash: nameHash('dark'),
    initialStateHash: nameHash('dark'),
    stateBlockNumber: 1n,
    stateUpdatedAt: new Date(1_000_010_000),
    deployTxHash: event.txHash,
    deployBlockNumber: 1n,
    inputCount: 0,
    transitionCount: 0,
    lastInputId: null,
    error: null,
  });
});

test('several inputs in one block and in one transaction are all there, in the order of the chain', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const txHash = uniqueHash();
  const sent = [toggle('5'), annotate('bright'), toggle('7')];
  await scene.mine(...sent.map((one) => input(one, { txHash })), input(annotate('dark again')));
  const history = await scene.history(recordId);
  expect(
    history.map((row) => [row.position, row.transactionOrdinal, row.sequence, row.fromState, row.toState]),
  ).toEqual([
    [1, 0, 1, 'dark', 'lit'],
    [2, 1, null, 'lit', 'lit'],
    [3, 2, 2, 'lit', 'dark'],
    [4, 0, null, 'dark', 'dark'],
  ]);
  expect(history.map(({ values }) => values)).toEqual([
    { brightness: '5' },
    { remark: 'bright' },
    { brightness: '7' },
    { remark: 'dark again' },
  ]);
  expect(await scene.record(recordId)).toMatchObject({
    state: 'dark',
    variables: { brightness: '7', remark: 'dark again' },
    inputCount: 4,
    transitionCount: 2,
    lastInputId: 'annotate',
  });
});

test('the time of the state is that of the last change of state, the time of the last input that of any', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  await scene.mine(input(toggle('5')));
  await scene.mine(input(annotate('bright')));
  expect(await scene.record(recordId)).toMatchObject({
    stateUpdatedAt: new Date(1_000_020_000),
    stateBlockNumber: 3n,
    lastInputAt: new Date(1_000_030_000),
  });
});

test('signer and submitter come from the permit, else from the sender if it called the agreement itself, else they are null', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const { signer: _none, ...direct } = input(toggle('1'), { sender: bob });
  await scene.mine(input(toggle('2')), direct, { ...direct, txHash: uniqueHash(), isIndirect: true });
  const history = await scene.history(recordId);
  expect(history.map(({ signer, submitter }) => [signer, submitter])).toEqual([
    [alice, relayer],
    [bob, bob],
    [null, null],
  ]);
  expect(history.map(({ userId, transactionId }) => [userId, transactionId])).toEqual(
    new Array(3).fill([null, null]),
  );
  expect(history.map(({ createdAt }) => createdAt)).toEqual(new Array(3).fill(new Date(1_000_020_000)));
});

test('an own submission keeps its id, its time and its values, and becomes MINED', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const { inputId, transactionId } = await scene.submit(recordId, toggle('5'), { nonce: 0n });
  const [before] = await scene.history(recordId);
  const event = input(toggle('5'), { sender: bob });
  await scene.mine(event);
  const [row, ...others] = await scene.history(recordId);
  expect(others).toEqual([]);
  expect(row).toMatchObject({
    id: inputId,
    status: 'MINED',
    userId: scene.principalId,
    createdAt: before?.createdAt,
    signer: alice,
    submitter: bob,
    txHash: event.txHash,
    position: 1,
    fromState: 'dark',
    toState: 'lit',
    blockNumber: 2n,
  });
  expect(await scene.transaction(transactionId)).toMatchObject({
    state: 'mined',
    txHash: event.txHash,
    minedBlockNumber: 2n,
  });
});

test('principals that hold the same agreement each have its history, and the submission only who made it', async () => {
  const { recordId, transactionId: deployed } = await scene.draft();
  await scene.mine(deployment());
  const other = await scene.askFor(clone);
  const { inputId, transactionId } = await scene.submit(recordId, toggle('5'), { nonce: 0n });
  await scene.mine(input(toggle('5')));
  expect((await scene.history(recordId)).map(({ id }) => id)).toEqual([inputId]);
  const [foreign] = await scene.history(other.recordId);
  expect(foreign).toMatchObject({
    status: 'MINED',
    userId: null,
    transactionId: null,
    values: { brightness: '5' },
  });
  expect((await scene.record(other.recordId)).stateHash).toBe((await scene.record(recordId)).stateHash);
  expect((await scene.transaction(deployed)).state).toBe('mined');
  expect((await scene.transaction(transactionId)).state).toBe('mined');
});

test('records and inputs of several principals may refer to one permit', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const other = await scene.askFor(clone);
  await scene.fold();
  const { inputId, transactionId } = await scene.submit(recordId, toggle('5'), { nonce: 0n });
  const second = await scene.attach(other.recordId, toggle('5'), transactionId);
  await scene.mine(input(toggle('5')));
  expect(await scene.history(recordId)).toMatchObject([{ id: inputId, status: 'MINED', position: 1 }]);
  expect(await scene.history(other.recordId)).toMatchObject([{ id: second, status: 'MINED', position: 1 }]);
});

test('a Draft stored after its agreement was deployed and used gets the whole history', async () => {
  await scene.mine(deployment());
  await scene.mine(input(toggle('5')), input(annotate('bright')));
  await scene.mine(input(toggle('7')));
  const { recordId } = await scene.draft();
  await scene.fold();
  expect(await scene.record(recordId)).toMatchObject({ status: 'Deployed', state: 'dark', inputCount: 3 });
  expect((await scene.history(recordId)).map(({ position }) => position)).toEqual([1, 2, 3]);
});

test('a submission stored after the index had shown it takes the place of the row made for it', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  await scene.mine(input(toggle('5')), input(toggle('6')));
  const { inputId, transactionId } = await scene.submit(recordId, toggle('6'), { nonce: 1n });
  await scene.fold();
  const history = await scene.history(recordId);
  expect(history.map(({ id, position }) => [id === inputId, position])).toEqual([
    [false, 1],
    [true, 2],
  ]);
  expect(history[1]).toMatchObject({ status: 'MINED', fromState: 'lit', toState: 'dark', sequence: 2 });
  expect((await scene.transaction(transactionId)).state).toBe('mined');
});

test('a record is asked for by address, but only one with the same document is found there', async () => {
  const other = await scene.askFor(clone, createLamp('another'));
  const same = await scene.askFor(clone);
  await scene.mine(deployment(), input(toggle('5')));
  expect(await scene.record(same.recordId)).toMatchObject({ status: 'Deployed', state: 'lit', owner: alice });
  expect(await scene.record(other.recordId)).toMatchObject({ status: 'Draft', address: clone, state: null });
});

test('if a principal already holds the agreement, the Draft says so', async () => {
  await scene.mine(deployment());
  const asked = await scene.askFor(clone);
  await scene.fold();
  const { recordId } = await scene.draft({ principalId: asked.principalId });
  await scene.fold();
  const draft = await scene.record(recordId);
  expect(draft).toMatchObject({ status: 'Draft', address: null, error: { reason: 'agreement_held' } });
  expect(draft.error?.message).toContain(asked.recordId);
  expect((await scene.record(asked.recordId)).status).toBe('Deployed');
});

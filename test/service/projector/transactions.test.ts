import { expect, test } from 'vitest';
import { inTransaction } from '../../../src/platform/database/inTransaction.ts';
import { deployRecords } from '../../../src/worker/projector/deployRecords.ts';
import { mergeSubmissions } from '../../../src/worker/projector/mergeSubmissions.ts';
import { settlePermits } from '../../../src/worker/projector/settlePermits.ts';
import { writeSettlement } from '../../../src/worker/projector/settleTransactions.ts';
import { startSceneForEach } from '../support/startSceneForEach.ts';
import { block } from './support/chain.ts';
import { createLamp } from './support/lamp.ts';
import {
  alice,
  annotate,
  bob,
  clone,
  createScene,
  deployment,
  input,
  lamp,
  type Scene,
  toggle,
} from './support/scene.ts';
import { insertPrincipal, insertRecord, insertSubmission, insertTransaction } from './support/serviceRows.ts';
import { chainId, type Fixture, factory, reorgWindow } from './support/setup.ts';

let fixture: Fixture;
let scene: Scene;
startSceneForEach((started) => {
  ({ fixture, scene } = started);
});

/** The timestamp of the block with this number. */
const timeOf = (number: number) => BigInt(1_000_000 + number * 10);

test('a permit whose nonce other content used up fails, and what refers to it says why', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const { inputId, transactionId } = await scene.submit(recordId, toggle('5'), { nonce: 0n });
  const draft = await scene.draft({ nonce: 1n });
  const [other, event] = [input(annotate('first')), deployment({ lamp: createLamp('another') })];
  await scene.mine(other, event);
  expect(await scene.transaction(transactionId)).toMatchObject({
    state: 'failed',
    failure: { reason: 'permit_superseded', transactionHash: other.txHash, blockNumber: '2' },
  });
  const history = await scene.history(recordId);
  expect(history.map(({ id, status }) => [id === inputId, status])).toEqual([
    [false, 'MINED'],
    [true, 'FAILED'],
  ]);
  expect(history[1]?.error).toEqual({ reason: 'permit_superseded', message: expect.any(String) });
  expect(await scene.record(draft.recordId)).toMatchObject({
    status: 'Draft',
    error: { reason: 'permit_superseded' },
  });
});

test('a deployment with the same document and other values is not the signed one, nor is one that cannot be read', async () => {
  const others = await scene.draft();
  await scene.mine(deployment({ lamp: { ...lamp, signedHash: createLamp('other values').signedHash } }));
  expect(await scene.transaction(others.transactionId)).toMatchObject({
    state: 'failed',
    failure: { reason: 'permit_superseded', blockNumber: '1' },
  });
  const unread = await scene.draft({ nonce: 1n });
  await scene.mine(deployment({ isIndirect: true }));
  expect(await scene.transaction(unread.transactionId)).toMatchObject({
    state: 'failed',
    failure: { reason: 'permit_effect_unreadable', blockNumber: '2' },
  });
  for (const { recordId } of [others, unread])
    expect(await scene.record(recordId)).toMatchObject({ status: 'Draft', address: null });
});

test('permits of one signer that come after one that expired fail with it, and name it', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const first = await scene.submit(recordId, toggle('5'), { nonce: 0n, deadline: timeOf(2) });
  const second = await scene.submit(recordId, toggle('6'), { nonce: 1n });
  const other = await scene.submit(recordId, toggle('7'), { nonce: 1n, signer: bob });
  await scene.mine();
  await scene.mine();
  expect((await scene.transaction(first.transactionId)).failure?.reason).toBe('permit_expired');
  expect(await scene.transaction(second.transactionId)).toMatchObject({
    state: 'failed',
    failure: { reason: 'predecessor_failed', predecessor: first.transactionId },
  });
  expect(await scene.transaction(other.transactionId)).toMatchObject({ state: 'accepted', failure: null });
  const history = await scene.history(recordId);
  const reasons = new Map(history.map(({ id, error }) => [id, error?.reason]));
  expect([first, second, other].map(({ inputId }) => reasons.get(inputId))).toEqual([
    'permit_expired',
    'predecessor_failed',
    undefined,
  ]);
});

test('a failed permit is named to those alone who have both it and the permit that fails with it', async () => {
  const { database, pool } = fixture;
  const mine = await scene.draft();
  const theirs = await scene.askFor(clone);
  await scene.mine(deployment());
  const first = await scene.submit(mine.recordId, toggle('5'), { nonce: 0n, deadline: timeOf(2) });
  const sent = { own: toggle('6'), shared: toggle('7'), foreign: toggle('8') };
  const own = await scene.submit(mine.recordId, sent.own, { nonce: 1n });
  const shared = await scene.submit(mine.recordId, sent.shared, { nonce: 2n });
  const foreign = await scene.submit(mine.recordId, sent.foreign, { nonce: 3n });
  // Nobody is known to have sent this one.
  const unowned = await scene.submit(mine.recordId, toggle('5'), {
    ...{ nonce: 0n, deadline: timeOf(2), signer: bob },
  });
  const afterIt = await scene.submit(mine.recordId, toggle('6'), { nonce: 1n, signer: bob });
  const submission = { ...theirs, chainId, agreement: clone, lamp, signer: alice };
  for (const [{ transactionId }, owner] of [
    [first, scene.principalId],
    [own, scene.principalId],
    [shared, scene.principalId],
    [afterIt, scene.principalId],
    [foreign, theirs.principalId],
  ] as const)
    await pool.query('update service.transactions set principal_id = $2 where id = $1', [
      transactionId,
      owner,
    ]);
  await insertSubmission(database, {
    ...submission,
    input: sent.shared,
    transactionId: shared.transactionId,
  });
  await pool.query('update service.inputs set record_id = $2, user_id = $3 where id = $1', [
    ...[foreign.inputId, theirs.recordId, theirs.principalId],
  ]);
  await scene.mine();
  await scene.mine();
  expect((await scene.transaction(own.transactionId)).failure).toMatchObject({
    predecessor: first.transactionId,
    message: expect.stringContaining(first.transactionId),
  });
  for (const { transactionId } of [shared, foreign, afterIt]) {
    const { failure } = await scene.transaction(transactionId);
    expect(failure).toMatchObject({ reason: 'predecessor_failed' });
    for (const former of [first, unowned])
      expect(JSON.stringify(failure)).not.toContain(former.transactionId);
  }
});

test('a failed deployment is not named to another principal that has sent the permit after it too', async () => {
  const { database, pool } = fixture;
  const first = await scene.draft({ deadline: timeOf(1) });
  const later = await scene.draft({ nonce: 1n });
  const other = await insertPrincipal(database);
  const shared = { principalId: other, chainId, lamp, deployTransactionId: later.transactionId };
  const theirs = await insertRecord(database, shared);
  await pool.query('update service.transactions set principal_id = $1', [scene.principalId]);
  await scene.mine();
  await scene.mine();
  expect((await scene.record(later.recordId)).error).toMatchObject({ reason: 'predecessor_failed' });
  const { error } = await scene.record(theirs);
  expect(error).toMatchObject({ reason: 'predecessor_failed' });
  expect(JSON.stringify(error)).not.toContain(first.transactionId);
});

test('a superseded permit is open again when what superseded it falls out, and can have its effect then', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const { inputId, transactionId } = await scene.submit(recordId, toggle('5'), { nonce: 0n });
  const draft = await scene.draft({ nonce: 1n });
  await scene.mine(input(annotate('first')), deployment({ lamp: createLamp('another') }));
  scene.drop(1);
  await scene.mine();
  expect(await scene.transaction(transactionId)).toMatchObject({ state: 'accepted', failure: null });
  expect(await scene.history(recordId)).toMatchObject([{ id: inputId, status: 'PENDING', error: null }]);
  expect(await scene.record(draft.recordId)).toMatchObject({ status: 'Draft', error: null });
  await scene.mine(input(toggle('5')), deployment());
  expect(await scene.history(recordId)).toMatchObject([{ id: inputId, status: 'MINED', position: 1 }]);
  expect(await scene.record(draft.recordId)).toMatchObject({ status: 'Deployed' });
});

test('a superseded permit is open again though its nonce is open on another chain', async () => {
  const { transactionId } = await scene.draft();
  await insertTransaction(fixture.database, {
    ...{ kind: 'deploy', chainId: chainId + 1, contract: factory, signer: alice, nonce: 0n },
    contentHash: lamp.signedHash,
  });
  await scene.mine(deployment({ lamp: createLamp('another') }));
  expect((await scene.transaction(transactionId)).state).toBe('failed');
  scene.drop(1);
  await scene.mine();
  expect((await scene.transaction(transactionId)).state).toBe('accepted');
});

test('a superseded permit stays failed while the permit that had taken its nonce is the open one again', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const lost = await scene.submit(recordId, toggle('5'), { nonce: 0n });
  await scene.mine(input(annotate('first')));
  const other = await scene.submit(recordId, annotate('first'), { nonce: 0n });
  await scene.fold();
  expect((await scene.transaction(other.transactionId)).state).toBe('mined');
  scene.drop(1);
  await scene.mine();
  expect((await scene.transaction(other.transactionId)).state).toBe('accepted');
  expect((await scene.transaction(lost.transactionId)).failure?.reason).toBe('permit_superseded');
});

test('a permit whose effect was folded before it was stored is settled when everything open is looked at', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const mined = input(toggle('5'));
  await scene.mine(mined);
  const { inputId, transactionId } = await scene.submit(recordId, toggle('5'), { nonce: 0n });
  await scene.mine();
  expect((await scene.transaction(transactionId)).state).toBe('accepted');
  await scene.fold();
  expect(await scene.transaction(transactionId)).toMatchObject({ state: 'mined', txHash: mined.txHash });
  expect(await scene.history(recordId)).toMatchObject([{ id: inputId, status: 'MINED', position: 1 }]);
});

test('a permit expires when the chain is past its deadline, and not in the block of the deadline', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const { inputId, transactionId } = await scene.submit(recordId, toggle('5'), {
    nonce: 0n,
    deadline: timeOf(3),
  });
  const draft = await scene.draft({ nonce: 1n, deadline: timeOf(3) });
  await scene.mine();
  await scene.mine();
  expect((await scene.transaction(transactionId)).state).toBe('accepted');
  await scene.mine();
  expect(await scene.transaction(transactionId)).toMatchObject({
    state: 'failed',
    failure: { reason: 'permit_expired', deadline: String(timeOf(3)), blockNumber: '4' },
  });
  expect(await scene.history(recordId)).toMatchObject([
    { id: inputId, status: 'FAILED', error: { reason: 'permit_expired' } },
  ]);
  expect(await scene.record(draft.recordId)).toMatchObject({
    status: 'Draft',
    error: { reason: 'permit_expired' },
  });
});

test('a permit expires by the time of a block that has its confirmations, not by a later head', async () => {
  const confirmed = await createScene(fixture, { confirmations: 3 });
  const { recordId } = await confirmed.draft();
  await confirmed.mine(deployment());
  const { transactionId } = await confirmed.submit(recordId, toggle('5'), { nonce: 0n, deadline: timeOf(3) });
  const readState = async () => (await confirmed.transaction(transactionId)).state;
  await confirmed.show(block(2, [], Number(timeOf(9))));
  await confirmed.fold();
  for (const state of ['accepted', 'accepted', 'accepted', 'accepted', 'failed']) {
    await confirmed.mine();
    expect(await readState()).toBe(state);
  }
  expect((await confirmed.transaction(transactionId)).failure).toMatchObject({ blockNumber: '4' });
});

test('a permit that was called expired but had its effect in time, as a reorganisation shows, is corrected', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const { inputId, transactionId } = await scene.submit(recordId, toggle('5'), {
    nonce: 0n,
    deadline: timeOf(3),
  });
  const draft = await scene.draft({ nonce: 1n, deadline: timeOf(3) });
  for (let count = 0; count < 3; count++) await scene.mine();
  expect((await scene.transaction(transactionId)).state).toBe('failed');
  scene.drop(2);
  await scene.add(input(toggle('5')), deployment());
  scene.add();
  await scene.mine();
  expect(await scene.transaction(transactionId)).toMatchObject({ state: 'mined', failure: null });
  expect(await scene.history(recordId)).toMatchObject([{ id: inputId, status: 'MINED', error: null }]);
  expect(await scene.record(draft.recordId)).toMatchObject({ status: 'Deployed', error: null });
});

test('a failure that the relay has written reaches what refers to the transaction', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const { inputId, transactionId } = await scene.submit(recordId, toggle('5'), { nonce: 0n });
  await fixture.pool.query(`update service.transactions set state = 'failed', failure = $2 where id = $1`, [
    transactionId,
    JSON.stringify({ reason: 'reverted', message: 'It reverted: \u0000', data: '0x' }),
  ]);
  await scene.fold();
  expect(await scene.history(recordId)).toMatchObject([
    { id: inputId, status: 'FAILED', error: { reason: 'reverted', message: 'It reverted: \u0000' } },
  ]);
});

test('where another permit deployed the same content under another URI, the record has the URI of the chain', async () => {
  const { recordId } = await scene.draft();
  const elsewhere = { ...lamp, docUri: 'ipfs://elsewhere' };
  await scene.mine(deployment({ lamp: elsewhere }));
  expect(await scene.record(recordId)).toMatchObject({ status: 'Deployed', docUri: 'ipfs://elsewhere' });
});

test('an effect after the deadline cannot be that of the permit, even with the same content', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  await scene.mine();
  await scene.mine(input(toggle('5')));
  const { inputId, transactionId } = await scene.submit(recordId, toggle('5'), {
    nonce: 0n,
    deadline: timeOf(2),
  });
  await scene.fold();
  expect((await scene.transaction(transactionId)).state).toBe('failed');
  expect((await scene.history(recordId)).find(({ id }) => id === inputId)?.status).toBe('FAILED');
});

test('a permit that is used up by a block that is not folded yet has not expired', async () => {
  const { recordId } = await scene.draft();
  const head = scene.add(deployment());
  await scene.show();
  await scene.fold();
  const { transactionId } = await scene.submit(recordId, toggle('5'), { nonce: 0n, deadline: timeOf(0) });
  scene.add(input(annotate('first')));
  await scene.show(head);
  await scene.fold();
  expect((await scene.transaction(transactionId)).state).toBe('accepted');
});

test('a transaction is final once no reorganisation can reach it', async () => {
  const { transactionId } = await scene.draft();
  await scene.mine(deployment());
  for (let count = 1; count < reorgWindow; count++) await scene.mine();
  expect((await scene.transaction(transactionId)).state).toBe('mined');
  await scene.mine();
  expect((await scene.transaction(transactionId)).state).toBe('final');
});

test('permits of another chain, and of another contract, keep their state', async () => {
  const { database, pool } = fixture;
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const insert = (permit: { chainId?: number; contract?: typeof clone; nonce: bigint; deadline?: bigint }) =>
    insertTransaction(database, {
      ...{ kind: 'input', chainId, contract: clone, signer: alice, contentHash: lamp.signedHash },
      ...permit,
    });
  const elsewhere = chainId + 1;
  const expired = await insert({ chainId: elsewhere, nonce: 0n, deadline: timeOf(1) });
  const later = await insert({ chainId: elsewhere, nonce: 1n });
  const another = await insert({ contract: bob, nonce: 1n });
  const mined = await insert({ chainId: elsewhere, nonce: 2n });
  await pool.query(
    `update service.transactions set state = 'mined', tx_hash = '0x', mined_block_number = 1 where id = $1`,
    [mined],
  );
  const { transactionId } = await scene.submit(recordId, toggle('5'), { nonce: 0n, deadline: timeOf(1) });
  for (let count = 0; count <= reorgWindow; count++) await scene.mine();
  expect((await scene.transaction(transactionId)).state).toBe('failed');
  for (const id of [expired, later, another])
    expect(await scene.transaction(id)).toMatchObject({ state: 'accepted' });
  expect((await scene.transaction(mined)).state).toBe('mined');
});

test('a permit expires, although its nonce is used on another chain, by another signer and at another contract', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const elsewhere = [deployment(), input(toggle('5'))];
  await fixture.index.show({ chainId: chainId + 1, blocks: [block(1, elsewhere)], head: null });
  const { transactionId } = await scene.submit(recordId, toggle('5'), { nonce: 0n, deadline: timeOf(2) });
  await scene.mine(input(toggle('6'), { signer: bob }));
  await scene.mine();
  expect((await scene.transaction(transactionId)).failure).toMatchObject({ reason: 'permit_expired' });
});

test('a final transaction is open again if an index of another history turns out to be right', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const { inputId, transactionId } = await scene.submit(recordId, toggle('5'), { nonce: 0n });
  await scene.mine(input(toggle('5')));
  for (let count = 0; count <= reorgWindow; count++) await scene.mine();
  expect((await scene.transaction(transactionId)).state).toBe('final');
  const height = scene.chain().length;
  scene.drop(height - 1);
  while (scene.chain().length <= height) scene.add();
  await fixture.index.deploy();
  await scene.show();
  await scene.fold();
  expect(await scene.transaction(transactionId)).toMatchObject({ state: 'accepted', minedBlockNumber: null });
  expect(await scene.history(recordId)).toMatchObject([{ id: inputId, status: 'PENDING' }]);
});

/** The effect of a permit, as a fold has read it. */
const effect = {
  contentHash: '0x1',
  transactionHash: '0x2',
  blockNumber: 5n,
  blockTimestamp: 100n,
} as const;

test('a transaction that is settled is not settled again', async () => {
  const { transactionId: id } = await scene.draft();
  await scene.mine(deployment());
  const before = await scene.transaction(id);
  expect(before.state).toBe('mined');
  const row = { id, isOpen: true, contentHash: '0x1', deadline: 200n, permit: 'p', effect } as const;
  for (const settlement of [
    { mined: [row], superseded: [] },
    { mined: [], superseded: [row] },
  ])
    expect(
      await inTransaction(fixture.database, (transaction) => writeSettlement(transaction, settlement)),
    ).toEqual([]);
  expect(await scene.transaction(id)).toEqual(before);
});

test('a record that is Deployed is not made so again by its permit', async () => {
  const { recordId, transactionId } = await scene.draft();
  await scene.mine(deployment());
  expect(await scene.record(recordId)).toMatchObject({ status: 'Deployed' });
  const changed = {
    changedTransactions: [transactionId],
    added: [],
    through: 1n,
    isWhole: false,
    isApart: false,
  };
  const again = await inTransaction(fixture.database, (transaction) =>
    deployRecords(transaction, { chainId, ...changed }),
  );
  expect(again).toMatchObject({ deployed: [], changed: [] });
});

test('a submission takes the place of a row that the index made, and of no other submission', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const { inputId } = await scene.submit(recordId, toggle('5'), { nonce: 0n });
  await scene.mine(input(toggle('5')), input(toggle('6')));
  const other = await scene.submit(recordId, toggle('6'), { nonce: 1n });
  const merge = (position: number) =>
    inTransaction(fixture.database, (transaction) =>
      mergeSubmissions(transaction, [{ id: other.inputId, recordId, position }]),
    );
  expect(await merge(1)).toEqual([]);
  expect(await merge(2)).toEqual([recordId]);
  expect(await scene.history(recordId)).toMatchObject([
    { id: inputId, status: 'MINED', position: 1 },
    { id: other.inputId, status: 'MINED', position: 2 },
  ]);
});

test('of several permits with the same nonce and content the open one had the effect', () => {
  const common = { contentHash: '0x1', deadline: 200n, permit: 'p', effect } as const;
  const failed = { ...common, id: 'failed', isOpen: false };
  const open = { ...common, id: 'open', isOpen: true };
  const late = { ...common, id: 'late', isOpen: true, deadline: 99n };
  expect(settlePermits([failed, open])).toEqual({ mined: [open], superseded: [] });
  expect(settlePermits([failed, late])).toEqual({ mined: [failed], superseded: [late] });
  expect(settlePermits([late])).toEqual({ mined: [], superseded: [late] });
  expect(settlePermits([])).toEqual({ mined: [], superseded: [] });
});

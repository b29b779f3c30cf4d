import { expect, test } from 'vitest';
import { readStanding } from '../../../src/api/admission/readStanding.ts';
import { inTransaction } from '../../../src/platform/database/inTransaction.ts';
import { findDisplaced } from '../../../src/records/agreements/displacedRecords.ts';
import { retractBlocks } from '../../../src/worker/projector/retractBlocks.ts';
import { startSceneForEach } from '../support/startSceneForEach.ts';
import { addressOfClone, block } from './support/chain.ts';
import { createLamp, lampVariables } from './support/lamp.ts';
import {
  annotate,
  bob,
  clone,
  createScene,
  deployment,
  foreignToggle,
  handOver,
  input,
  lamp,
  type Scene,
  toggle,
} from './support/scene.ts';
import { chainId, type Fixture } from './support/setup.ts';

let fixture: Fixture;
let scene: Scene;
startSceneForEach((started) => {
  ({ fixture, scene } = started);
});

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

test('blocks that fall out take nothing from blocks of another chain with the same numbers', async () => {
  const { database, pool } = fixture;
  const { recordId, transactionId } = await scene.draft();
  await scene.mine(deployment());
  const permit = await scene.submit(recordId, toggle('5'), { nonce: 0n });
  await scene.mine(input(toggle('5')), foreignToggle('6'));
  const read = async () => ({
    record: await scene.record(recordId),
    history: await scene.history(recordId),
    deployment: await scene.transaction(transactionId),
    permit: await scene.transaction(permit.transactionId),
    folded: (await pool.query('select * from service.folded_blocks order by number')).rows,
  });
  const lose = (of: number) =>
    inTransaction(database, (transaction) => retractBlocks(transaction, { chainId: of, numbers: [1n, 2n] }));
  const before = await read();
  expect(before.history).toHaveLength(2);
  expect(await lose(chainId + 1)).toMatchObject({ undeployed: [], shortened: [], reopened: [] });
  expect(await read()).toEqual(before);
  expect(await lose(chainId)).toMatchObject({
    undeployed: [recordId],
    reopened: [transactionId, permit.transactionId],
  });
  expect(await read()).toMatchObject({ history: [{ id: permit.inputId, status: 'PENDING' }], folded: [] });
});

test('inputs by others keep their id when a reorg moves them to another block', async () => {
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
])(
  'a transaction that falls out is $state again if that was its state before',
  async ({ wallet, attempts, isAccepted, state }) => {
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
  },
);

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

test('a wallet named by an input that fell out with its deployment may not enter any more', async () => {
  const { recordId } = await scene.draft();
  const { pool } = fixture;
  await pool.query(
    `update service.records set participant_access = 'read', access_variables = '["holder"]' where id = $1`,
    [recordId],
  );
  const readWallets = async () =>
    (await pool.query('select wallet from service.record_wallets where record_id = $1', [recordId])).rows;
  await scene.mine(deployment());
  await scene.mine(input(handOver(bob)));
  expect(await readWallets()).toEqual([{ wallet: bob.toLowerCase() }]);
  scene.drop(2);
  scene.add();
  await scene.mine();
  expect(await scene.record(recordId)).toMatchObject({ status: 'Draft', variables: lampVariables });
  expect(await readWallets()).toEqual([{ wallet: lampVariables.holder.toLowerCase() }]);
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

test('where principals have left different addresses, none gets a record back at an address that another one has left', async () => {
  const waiting = await scene.askFor(clone, createLamp('another'));
  const staying = await scene.askFor(clone, createLamp('another'));
  for (const { principalId } of [waiting, staying]) await scene.askFor(clone, lamp, principalId);
  const left = { principal_id: waiting.principalId, chain_id: chainId, address: clone };
  const elsewhere = { ...left, principal_id: staying.principalId, address: addressOfClone(1) };
  expect(await findDisplaced(fixture.database, [elsewhere, left])).toEqual([
    { id: waiting.recordId, ...left },
  ]);
});

test('an own deployment that comes back at an imported address is Deployed; the record waiting there gives it up until its agreement is back', async () => {
  const another = createLamp('another');
  const { recordId } = await scene.draft();
  const event = deployment();
  const { signer: _none, ...imported } = deployment({ lamp: another });
  const asked = await scene.askFor(clone, another, scene.principalId);
  // Another principal's record is at the same address all the time.
  const theirs = await scene.askFor(clone, another);
  await scene.mine(imported, event);
  expect(await scene.record(asked.recordId)).toMatchObject({ status: 'Deployed', address: clone });
  expect(await scene.record(recordId)).toMatchObject({ status: 'Deployed', address: addressOfClone(1) });
  scene.drop(1);
  await scene.mine(event, imported);
  expect(await scene.record(recordId)).toMatchObject({ status: 'Deployed', address: clone, error: null });
  expect(await scene.record(asked.recordId)).toMatchObject({
    status: 'Draft',
    address: null,
    error: { reason: 'agreement_replaced', message: expect.stringContaining(clone) },
  });
  expect(await scene.record(theirs.recordId)).toMatchObject({ status: 'Draft', address: clone, error: null });
  scene.drop(1);
  await scene.mine(imported, event);
  for (const id of [asked.recordId, theirs.recordId])
    expect(await scene.record(id)).toMatchObject({ status: 'Deployed', address: clone, error: null });
  expect(await scene.record(recordId)).toMatchObject({ status: 'Deployed', address: addressOfClone(1) });
});

test('an imported agreement whose permit has failed as unreadable keeps its one record if a reorg makes the permit readable', async () => {
  const { recordId, transactionId } = await scene.draft();
  const event = deployment();
  await scene.mine({ ...event, isIndirect: true });
  expect(await scene.record(recordId)).toMatchObject({ error: { reason: 'permit_effect_unreadable' } });
  const adopted = await scene.askFor(clone, lamp, scene.principalId);
  await scene.fold();
  const expectAt = async (address: string) => {
    expect(await scene.record(adopted.recordId)).toMatchObject({ status: 'Deployed', address, error: null });
    expect((await scene.record(recordId)).status).toBe('Draft');
  };
  await expectAt(clone);
  scene.drop(1);
  await scene.mine();
  expect(await scene.record(recordId)).toMatchObject({ status: 'Draft', error: null });
  expect(await scene.record(adopted.recordId)).toMatchObject({ status: 'Draft', address: clone });
  await scene.mine(event, input(toggle('5')));
  await expectAt(clone);
  expect((await scene.transaction(transactionId)).state).toBe('mined');
  expect((await scene.record(recordId)).error).toMatchObject({ reason: 'agreement_held' });
  expect(await scene.history(adopted.recordId)).toHaveLength(1);
  // At another address the permit's agreement is the Draft's, and the imported record waits for its own.
  scene.drop(1);
  await scene.mine(deployment({ lamp: createLamp('another'), signer: bob }), event);
  const second = addressOfClone(1);
  expect(await scene.record(recordId)).toMatchObject({ status: 'Deployed', address: second, error: null });
  expect(await scene.record(adopted.recordId)).toMatchObject({ status: 'Draft', address: clone });
  expect(await scene.history(adopted.recordId)).toEqual([]);
  scene.drop(1);
  await scene.mine({ ...event, isIndirect: true });
  await expectAt(clone);
  expect((await scene.record(recordId)).error).toMatchObject({ reason: 'permit_effect_unreadable' });
});

test('of two records imported at one address, the one whose document the chain has there is Deployed', async () => {
  const another = createLamp('another');
  const [one, two] = [deployment(), deployment({ lamp: another })];
  const first = await scene.askFor(clone);
  const { principalId } = first;
  await scene.mine(one);
  scene.drop(1);
  await scene.mine(two);
  const second = await scene.askFor(clone, another, principalId);
  await scene.fold();
  const expectAt = async (there: string, displaced: string) => {
    expect(await scene.record(there)).toMatchObject({ status: 'Deployed', address: clone, error: null });
    const error = { reason: 'agreement_replaced', message: expect.stringContaining(clone) };
    expect(await scene.record(displaced)).toMatchObject({ status: 'Draft', address: null, error });
  };
  await expectAt(second.recordId, first.recordId);
  scene.drop(1);
  await scene.mine(one);
  await expectAt(first.recordId, second.recordId);
  // The agreement may be back only in a later block than the one that fell out.
  scene.drop(1);
  await scene.mine();
  await scene.mine(two);
  await expectAt(second.recordId, first.recordId);
});

test('a record displaced before any fold is Deployed if its agreement is at the address after all', async () => {
  await scene.mine(deployment());
  const first = await scene.askFor(clone);
  const second = await scene.askFor(clone, createLamp('another'), first.principalId);
  expect(await scene.record(first.recordId)).toMatchObject({ status: 'Draft', address: null });
  await scene.fold();
  expect(await scene.record(first.recordId)).toMatchObject({
    status: 'Deployed',
    address: clone,
    error: null,
  });
  expect(await scene.record(second.recordId)).toMatchObject({ status: 'Draft', address: null });
});

test('a permit that takes effect on the agreement now at its address fails the input of the record that has moved', async () => {
  const [first, second] = [await scene.draft(), await scene.draft({ nonce: 0n, signer: bob })];
  const [one, two] = [deployment(), deployment({ signer: bob })];
  await scene.mine(one, two);
  const { inputId, transactionId } = await scene.submit(first.recordId, toggle('5'), { nonce: 0n });
  const event = input(toggle('5'));
  await scene.mine(event);
  expect(await scene.history(first.recordId)).toMatchObject([{ id: inputId, status: 'MINED' }]);
  scene.drop(2);
  scene.add(two, one);
  await scene.mine(event);
  expect(await scene.record(first.recordId)).toMatchObject({ address: addressOfClone(1), inputCount: 0 });
  expect(await scene.history(first.recordId)).toMatchObject([
    { id: inputId, status: 'FAILED', error: { reason: 'agreement_moved' } },
  ]);
  expect(await scene.history(second.recordId)).toMatchObject([{ status: 'MINED', transactionId: null }]);
  expect((await scene.transaction(transactionId)).state).toBe('mined');
  scene.drop(2);
  scene.add(one, two);
  await scene.mine(event);
  expect(await scene.history(first.recordId)).toMatchObject([{ id: inputId, status: 'MINED', error: null }]);
});

test('a permit that takes effect on the agreement now at its address fails the input of the record that is a Draft for good', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const { inputId, transactionId } = await scene.submit(recordId, toggle('5'), { nonce: 0n });
  const event = input(toggle('5'));
  await scene.mine(event);
  const [first, second] = scene.chain();
  scene.drop(2);
  scene.add(deployment({ lamp: createLamp('another') }));
  await scene.mine(event);
  expect(await scene.record(recordId)).toMatchObject({
    status: 'Draft',
    error: { reason: 'permit_superseded' },
  });
  expect(await scene.history(recordId)).toMatchObject([
    { id: inputId, status: 'FAILED', error: { reason: 'agreement_moved' } },
  ]);
  expect((await scene.transaction(transactionId)).state).toBe('mined');
  scene.drop(2);
  scene.add(...(first?.events ?? []));
  await scene.mine(...(second?.events ?? []));
  expect(await scene.history(recordId)).toMatchObject([{ id: inputId, status: 'MINED', error: null }]);
});

test('a permit that takes effect on the agreement now at its address fails the input of the record that waits there for another', async () => {
  const { recordId } = await scene.askFor(clone);
  const [one, two] = [deployment(), deployment({ lamp: createLamp('another') })];
  await scene.mine(one);
  const { inputId } = await scene.submit(recordId, toggle('5'), { nonce: 0n });
  const event = input(toggle('5'));
  scene.drop(1);
  scene.add(two);
  await scene.mine(event);
  expect(await scene.record(recordId)).toMatchObject({ status: 'Draft', address: clone, error: null });
  expect(await scene.history(recordId)).toMatchObject([
    { id: inputId, status: 'FAILED', error: { reason: 'agreement_moved' } },
  ]);
  scene.drop(2);
  scene.add(one);
  await scene.mine(event);
  expect(await scene.history(recordId)).toMatchObject([{ id: inputId, status: 'MINED', error: null }]);
});

test('an unsigned input of an agreement that has moved is not assumed before inputs to the one now at its address', async () => {
  const first = await scene.draft();
  await scene.draft({ signer: bob });
  const [one, two] = [deployment(), deployment({ signer: bob })];
  await scene.mine(one, two);
  const { transactionId } = await scene.submit(first.recordId, toggle('5'), { nonce: 0n });
  const readOpen = async () => {
    const standing = await readStanding(fixture.pool, {
      ...{ chainId, contract: clone, signer: bob, storingInputs: [], gasKind: '' },
      ...{ asker: '', principalId: undefined, known: new Set(), knownMoment: undefined },
    });
    return standing?.open.map(({ id }) => id);
  };
  scene.drop(1);
  await scene.mine(two);
  expect(await scene.record(first.recordId)).toMatchObject({ status: 'Draft', error: null });
  expect(await readOpen()).toEqual([transactionId]);
  await scene.mine(one);
  expect(await scene.record(first.recordId)).toMatchObject({ address: addressOfClone(1) });
  expect(await readOpen()).toEqual([]);
});

test('an unsigned input of an agreement that has moved fails once that has its confirmations, and frees its nonce', async () => {
  const confirmed = await createScene(fixture, { confirmations: 3 });
  // From now on there are confirmed blocks.
  for (let count = 0; count < 3; count++) await confirmed.mine();
  const first = await confirmed.draft();
  const second = await confirmed.draft({ signer: bob });
  const [one, two] = [deployment(), deployment({ signer: bob })];
  await confirmed.mine(one, two);
  const { inputId, transactionId } = await confirmed.submit(first.recordId, toggle('5'), { nonce: 0n });
  const later = await confirmed.submit(first.recordId, toggle('6'), { nonce: 1n });
  const other = await confirmed.submit(second.recordId, toggle('7'), { nonce: 0n, signer: bob });
  const readStates = async () => {
    await confirmed.fold();
    const rows = await Promise.all(
      [transactionId, later.transactionId, other.transactionId].map((id) => confirmed.transaction(id)),
    );
    return rows.map(({ state, failure }) => failure?.reason ?? state);
  };
  confirmed.drop(1);
  confirmed.add(two, one);
  await confirmed.mine();
  expect(await confirmed.record(first.recordId)).toMatchObject({ address: addressOfClone(1) });
  expect(await readStates()).toEqual(['accepted', 'accepted', 'accepted']);
  await confirmed.mine();
  await confirmed.mine();
  expect(await readStates()).toEqual(['agreement_moved', 'agreement_moved', 'accepted']);
  expect(await confirmed.history(first.recordId)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        id: inputId,
        status: 'FAILED',
        error: expect.objectContaining({ reason: 'agreement_moved' }),
      }),
    ]),
  );
  await confirmed.submit(second.recordId, toggle('5'), { nonce: 0n });
});

test.each([
  ['is a Draft for good', (at: Scene) => at.draft()],
  ['waits there for another', (at: Scene) => at.askFor(clone)],
])(
  'an unsigned input of a record that %s fails once the agreement now at its address has its confirmations',
  async (_, request) => {
    const confirmed = await createScene(fixture, { confirmations: 3 });
    // From now on there are confirmed blocks.
    for (let count = 0; count < 3; count++) await confirmed.mine();
    const { recordId } = await request(confirmed);
    const [one, two] = [deployment(), deployment({ lamp: createLamp('another') })];
    await confirmed.mine(one);
    const { transactionId } = await confirmed.submit(recordId, toggle('5'), { nonce: 0n });
    const readState = async () => {
      await confirmed.fold();
      return (await confirmed.transaction(transactionId)).state;
    };
    confirmed.drop(1);
    await confirmed.mine(two);
    await confirmed.mine();
    expect(await readState()).toBe('accepted');
    await confirmed.mine();
    expect(await readState()).toBe('failed');
    expect(await confirmed.history(recordId)).toMatchObject([
      { status: 'FAILED', error: { reason: 'agreement_moved' } },
    ]);
  },
);

test('an unsigned input of an agreement that has moved does not fail while a signer is asked for it', async () => {
  const first = await scene.draft();
  await scene.draft({ signer: bob });
  const [one, two] = [deployment(), deployment({ signer: bob })];
  await scene.mine(one, two);
  const { transactionId } = await scene.submit(first.recordId, toggle('5'), { nonce: 0n });
  const reserve = (until: string) =>
    fixture.pool.query(`update service.transactions set reserved_until = ${until} where id = $1`, [
      transactionId,
    ]);
  const readState = async () => {
    await scene.fold();
    return (await scene.transaction(transactionId)).state;
  };
  await reserve(`now() + interval '1 hour'`);
  scene.drop(1);
  await scene.mine(two, one);
  expect(await scene.record(first.recordId)).toMatchObject({ address: addressOfClone(1) });
  expect(await readState()).toBe('accepted');
  await reserve(`now() - interval '1 second'`);
  expect(await readState()).toBe('failed');
});

test('an unsigned input of an agreement that has moved does not fail while another record at the signed address waits for it', async () => {
  const first = await scene.draft();
  await scene.draft({ signer: bob });
  const theirs = await scene.askFor(clone);
  const [one, two] = [deployment(), deployment({ signer: bob })];
  await scene.mine(one, two);
  const { transactionId } = await scene.submit(first.recordId, toggle('5'), { nonce: 0n });
  await scene.attach(theirs.recordId, toggle('5'), transactionId);
  const readState = async () => {
    await scene.fold();
    return (await scene.transaction(transactionId)).state;
  };
  scene.drop(1);
  await scene.mine(two, one);
  expect(await scene.record(first.recordId)).toMatchObject({ address: addressOfClone(1) });
  expect(await scene.record(theirs.recordId)).toMatchObject({ status: 'Deployed', address: clone });
  expect(await readState()).toBe('accepted');
  await fixture.pool.query('delete from service.inputs where record_id = $1', [theirs.recordId]);
  expect(await readState()).toBe('failed');
});

test('an unsigned input of an agreement that has moved does not fail while a block that the index is still writing uses its nonce', async () => {
  const first = await scene.draft();
  await scene.draft({ signer: bob });
  const [one, two] = [deployment(), deployment({ signer: bob })];
  await scene.mine(one, two);
  const { inputId, transactionId } = await scene.submit(first.recordId, toggle('5'), { nonce: 0n });
  scene.drop(1);
  const head = scene.add(two, one);
  scene.add(input(toggle('5')));
  await scene.show(head);
  await scene.fold();
  expect(await scene.record(first.recordId)).toMatchObject({ address: addressOfClone(1) });
  expect(await scene.transaction(transactionId)).toMatchObject({ state: 'accepted' });
  await scene.show();
  await scene.fold();
  expect(await scene.transaction(transactionId)).toMatchObject({ state: 'mined', failure: null });
  expect(await scene.history(first.recordId)).toMatchObject([{ id: inputId, status: 'FAILED' }]);
});

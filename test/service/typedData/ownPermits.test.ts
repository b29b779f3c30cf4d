import { expect, test } from 'vitest';
import { listOwnPermits } from '../../../src/api/agreements/ownPermits.ts';
import { alice, annotate, bob, clone, type Scene, toggle } from '../projector/support/scene.ts';
import { insertPrincipal } from '../projector/support/serviceRows.ts';
import { chainId, type Fixture, factory } from '../projector/support/setup.ts';
import { startSceneForEach } from '../support/startSceneForEach.ts';

let fixture: Fixture;
let scene: Scene;
startSceneForEach((started) => {
  ({ fixture, scene } = started);
});

/** The nonces of the principal's own permits at a contract. */
async function listNonces(contract: typeof clone, principalId = scene.principalId): Promise<bigint[]> {
  const asked = { principalId, chainId, contract, signer: alice, minedNonce: 1n };
  return (await listOwnPermits(fixture.database, asked)).map(({ nonce }) => nonce);
}

const setOwner = (transactionId: string, principalId: string) =>
  fixture.pool.query('update service.transactions set principal_id = $2 where id = $1', [
    transactionId,
    principalId,
  ]);

test('an input that others have sent is the own one while an own submission waits for it', async () => {
  const { pool, database } = fixture;
  const other = await insertPrincipal(database);
  const { recordId } = await scene.draft();
  const submit = (nonce: bigint, signer = alice) => scene.submit(recordId, toggle('5'), { nonce, signer });
  const own = await submit(1n);
  const shared = await submit(2n);
  const failed = await submit(3n);
  const foreign = await submit(4n);
  await setOwner(own.transactionId, scene.principalId);
  for (const { transactionId } of [shared, failed, foreign]) await setOwner(transactionId, other);
  await pool.query(`update service.inputs set status = 'FAILED' where id = $1`, [failed.inputId]);
  await pool.query('update service.inputs set user_id = $2 where id = $1', [foreign.inputId, other]);
  // Neither is open: of another signer, used up, and failed.
  for (const { transactionId } of [await submit(5n, bob), await submit(0n)])
    await setOwner(transactionId, scene.principalId);
  const ended = await scene.submit(recordId, annotate('ended'), { nonce: 6n });
  await pool.query(`update service.transactions set state = 'failed' where id = $1`, [ended.transactionId]);
  expect(await listNonces(clone)).toEqual([1n, 2n]);
  expect(await listNonces(clone, other)).toEqual([2n, 3n, 4n]);
});

test('a deployment that others have sent is the own one while an own record waits for it', async () => {
  const { pool, database } = fixture;
  const other = await insertPrincipal(database);
  const shared = await scene.draft({ nonce: 1n });
  const failed = await scene.draft({ nonce: 2n });
  const foreign = await scene.draft({ nonce: 3n, principalId: other });
  for (const { transactionId } of [shared, failed, foreign]) await setOwner(transactionId, other);
  await pool.query(`update service.records set error = '{"reason":"permit_expired"}' where id = $1`, [
    failed.recordId,
  ]);
  expect(await listNonces(factory)).toEqual([1n]);
  expect(await listNonces(factory, other)).toEqual([1n, 2n, 3n]);
});

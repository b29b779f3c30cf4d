import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findSubmission } from '../../../src/api/agreements/recognisePermit.ts';
import { inputRecordShape, recordShape } from '../../../src/api/shapes/resources.ts';
import { channels } from '../../../src/platform/database/channels.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { createCall } from '../support/call.ts';
import { buildLease } from '../support/documents.ts';
import { deployLease } from '../support/leases.ts';
import { createAccount, signDeploy, signInput } from '../support/permits.ts';
import { chainId } from '../support/testChain.ts';
import { startTestApi, type TestPrincipal } from '../support/testService.ts';
import { accept, type InputScene, startInputScene } from './support/inputScene.ts';

let scene: InputScene;
beforeAll(async () => {
  scene = await startInputScene();
});
afterAll(() => scene?.close());

describe('the same permit again', () => {
  test('leads to the same input, also when both come at once', async () => {
    const lease = await scene.deploy();
    const { body } = await lease.sign({ ...accept, account: lease.tenant });
    const answers = await Promise.all(Array.from({ length: 8 }, () => scene.submit(lease.id, body)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const again = await scene.submit(lease.id, body);
    const ids = [...answers, again].map(({ body: { data } }) => inputRecordShape.parse(data).id);
    expect(new Set(ids).size).toBe(1);
  });

  test('is recognised by its whole call to its record, and by nothing less', async () => {
    const lease = await scene.deploy();
    const { body } = await lease.sign({ ...accept, account: lease.tenant });
    const { id } = inputRecordShape.parse((await scene.submit(lease.id, body)).body.data);
    const { database, pool } = scene.service.handle;
    const { rows } = await pool.query<{ data: Hex }>(
      'select call_data as data from service.transactions where contract = $1',
      [lease.address],
    );
    const call = {
      ...{ recordId: lease.id, principalId: scene.principal.id, chainId, contract: lease.address },
      callData: rows[0]?.data ?? '0x',
    };
    expect(await findSubmission(database, call)).toMatchObject({ id, hasFailed: false });
    for (const other of [
      { recordId: 'agr_0' },
      { chainId: chainId + 1 },
      { contract: scene.chain.factory },
      { callData: '0x' as const },
    ])
      expect(await findSubmission(database, { ...call, ...other }), JSON.stringify(other)).toBeUndefined();
  });

  test('reopens an input whose transaction had failed, while the permit is valid, and counts its storage once', async () => {
    const principal = await scene.service.createPrincipal();
    const { pool } = scene.service.handle;
    const readUsage = async () => {
      const { rows } = await pool.query<{ storedBytes: number; gas: number }>(
        `select stored_bytes::float8 as "storedBytes", (select sum(gas)::float8 from service.usage_days where principal_id = $1) as gas
         from service.usage_totals where principal_id = $1`,
        [principal.id],
      );
      return rows[0];
    };
    /** Runs requests to a process of their own: what they use is stored when it has ended. */
    const withOwnApi = async <Result>(
      signingWaitMs: number,
      run: (own: TestPrincipal) => Promise<Result>,
    ): Promise<Result> => {
      const api = await startTestApi(scene.service.databaseUrl, {
        rpcUrls: { [chainId]: scene.chain.rpcUrl },
        env: { DEPLOY_WAIT_MS: '1', SIGNING_WAIT_MS: String(signingWaitMs) },
      });
      try {
        return await run({ ...principal, call: createCall(api.baseUrl, principal.key) });
      } finally {
        await api.close();
      }
    };

    const patientMs = 120_000;
    const lease = await withOwnApi(patientMs, (own) => deployLease(own, scene));
    const before = await readUsage();
    const { body } = await lease.sign({ ...accept, account: lease.tenant });
    await scene.worker.hold(async () => {
      await withOwnApi(1, (own) => scene.submit(lease.id, body, own));
      await pool.query(
        `with failed as (update service.transactions set state = 'failed', failure = '{"reason":"x","message":"y"}'
           where signer = $1 returning id)
         update service.inputs i set status = 'FAILED', error = '{"reason":"x","message":"y"}'
         from failed where i.transaction_id = failed.id`,
        [lease.tenant.address],
      );
    });
    const once = await readUsage();
    const { status, body: answer } = await withOwnApi(patientMs, (own) => scene.submit(lease.id, body, own));
    expect(status).toBe(200);
    expect(inputRecordShape.parse(answer.data)).toMatchObject({ status: 'PENDING' });
    expect(answer.data).not.toHaveProperty('error');
    const twice = await readUsage();
    expect(once?.storedBytes).toBeGreaterThan(before?.storedBytes ?? 0);
    expect(twice?.storedBytes).toBe(once?.storedBytes);
    expect(twice?.gas).toBeGreaterThan(once?.gas ?? 0);
  });
});

/** A lease with a record of each of two principals. */
async function deployForBoth() {
  const other = await scene.service.createPrincipal();
  const [landlord, tenant] = [createAccount(), createAccount()];
  const agreement = buildLease(scene.chain.token);
  const values = { landlord: landlord.address, tenant: tenant.address, rent: '5' };
  const permit = await signDeploy({
    account: landlord,
    agreement,
    values,
    chainId,
    factory: scene.chain.factory,
  });
  const body = { agreement, displayName: 'Lease', chainId, initValues: values, ...permit };
  const deployBy = async ({ call }: TestPrincipal) =>
    recordShape.parse((await call('POST', '/v0/agreements/deploy-with-permit', { body })).body.data).id;
  const [mine, theirs] = await scene.whileNothingIsMined(async () => {
    const first = await deployBy(scene.principal);
    await waitUntil('the deployment waits to be mined', scene.isOneWaiting);
    return [first, await deployBy(other)];
  });
  expect(theirs).not.toBe(mine);
  const agreementAddress = await scene.worker.fold(mine);
  expect(await scene.worker.fold(theirs)).toBe(agreementAddress);
  return { other, mine, theirs, agreement, agreementAddress };
}

test('a permit that waits to be mined is recorded for another principal that sends it, and neither hears of the other', async () => {
  const { other, mine, theirs, agreement, agreementAddress } = await deployForBoth();
  const knock = { inputId: 'knock', values: {}, account: createAccount() };
  const input = await signInput({ ...knock, agreement, agreementAddress, chainId });
  const countInputs = async () => {
    const find = 'select 1 from service.inputs where signer = $1';
    return (await scene.service.handle.pool.query(find, [knock.account.address])).rows.length;
  };
  const sent = await scene.whileNothingIsMined(async () => {
    const answers = [scene.submit(mine, input.body)];
    await waitUntil('the input waits to be mined', scene.isOneWaiting);
    answers.push(scene.submit(theirs, input.body, other));
    await Promise.race([answers[1], waitUntil('both are stored', async () => (await countInputs()) === 2)]);
    return answers;
  });
  const answers = await Promise.all(sent);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const [own, foreign] = answers.map((answer) => inputRecordShape.parse(answer.body.data));
  expect(own).toMatchObject({ agreementId: mine, userId: scene.principal.id });
  expect(foreign).toMatchObject({ agreementId: theirs, userId: other.id, txHash: own?.txHash });
  for (const secret of [scene.principal.id, mine, own?.id])
    expect(JSON.stringify(answers[1]?.body)).not.toContain(secret);
});

test('a permit that follows another open one is recorded for another principal that sends it alone', async () => {
  const { other, mine, theirs, agreement, agreementAddress } = await deployForBoth();
  const knock = {
    inputId: 'knock',
    values: {},
    account: createAccount(),
    agreement,
    agreementAddress,
    chainId,
  };
  const first = await signInput(knock);
  const second = await signInput({ ...knock, nonce: 1n });
  const awaitStored = (count: number) =>
    waitUntil('it is stored', async () => {
      const find = 'select 1 from service.inputs where signer = $1';
      return (await scene.service.handle.pool.query(find, [knock.account.address])).rows.length === count;
    });
  const sent = await scene.worker.hold(async () => {
    const answers = [scene.submit(mine, first.body)];
    await awaitStored(1);
    answers.push(scene.submit(mine, second.body));
    await awaitStored(2);
    answers.push(scene.submit(theirs, second.body, other));
    await Promise.race([answers[2], awaitStored(3)]);
    return answers;
  });
  const answers = await Promise.all(sent);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const [, own, foreign] = answers.map((answer) => inputRecordShape.parse(answer.body.data));
  expect(foreign).toMatchObject({ agreementId: theirs, userId: other.id, txHash: own?.txHash });
});

test('a permit that waits to be mined shows in the nonces of its own principal alone', async () => {
  const { other, mine, theirs, agreement, agreementAddress } = await deployForBoth();
  const [account, terms] = [createAccount(), { inputId: 'knock', values: {} }];
  const { body } = await signInput({ ...terms, account, agreement, agreementAddress, chainId });
  const ask = (id: string, { call }: TestPrincipal) =>
    call('POST', `/v0/agreements/${id}/input-typed-data`, { body: { ...terms, signer: account.address } });
  const sent = await scene.worker.hold(async () => {
    const answers = [scene.submit(mine, body)];
    await expect
      .poll(async () => (await ask(mine, scene.principal)).body.data)
      .toMatchObject({ nonce: '1', minedNonce: '0' });
    expect((await ask(theirs, other)).body.data).toMatchObject({ nonce: '0', minedNonce: '0' });
    return answers;
  });
  await Promise.all(sent);
});

test('a permit that has failed for one principal, and waits for another, shows in the nonces of the other alone', async () => {
  const { other, mine, theirs, agreement, agreementAddress } = await deployForBoth();
  const { pool } = scene.service.handle;
  const [account, terms] = [createAccount(), { inputId: 'knock', values: {} }];
  const { body } = await signInput({ ...terms, account, agreement, agreementAddress, chainId });
  const ask = async (id: string, { call }: TestPrincipal) => {
    // With the same deadline it would be the open permit itself.
    const asked = { ...terms, signer: account.address, deadline: body.deadline - 60 };
    return (await call('POST', `/v0/agreements/${id}/input-typed-data`, { body: asked })).body.data;
  };
  const sent = await scene.worker.hold(async () => {
    const first = scene.submit(mine, body);
    await expect.poll(() => ask(mine, scene.principal)).toMatchObject({ nonce: '1' });
    const { rows } = await pool.query<{ id: string }>(
      `with failed as (update service.transactions set state = 'failed', failure = '{"reason":"x","message":"y"}'
         where signer = $1 returning id)
       update service.inputs set status = 'FAILED', error = '{"reason":"x","message":"y"}'
       from failed where transaction_id = failed.id returning failed.id`,
      [account.address],
    );
    await pool.query(`select pg_notify('${channels.transactionChanged}', $1)`, [rows[0]?.id]);
    expect((await first).body.data).toMatchObject({ status: 'FAILED' });
    const second = scene.submit(theirs, body, other);
    await expect.poll(() => ask(theirs, other)).toMatchObject({ nonce: '1', minedNonce: '0' });
    expect(await ask(mine, scene.principal)).toMatchObject({ nonce: '0', minedNonce: '0' });
    return [second];
  });
  await Promise.all(sent);
});

import { encodeFunctionData, getAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testTokenAbi } from '../../../contracts-test/abis/TestToken.ts';
import { awaitReceipt } from '../../../contracts-test/awaitReceipt.ts';
import { defaultQuotas } from '../../../src/records/quotas/quotas.ts';
import { addUsage } from '../../../src/records/quotas/usage.ts';
import { createCall } from '../support/call.ts';
import type { Lease } from '../support/leases.ts';
import { outcome } from '../support/outcome.ts';
import { createAccount, signDeploy } from '../support/permits.ts';
import { chainId } from '../support/testChain.ts';
import { startTestApi } from '../support/testService.ts';
import { accept, type InputScene, startInputScene } from './support/inputScene.ts';

let scene: InputScene;
beforeAll(async () => {
  scene = await startInputScene();
});
afterAll(() => scene?.close());

describe('an input is refused and nothing is stored', () => {
  let lease: Lease;
  beforeAll(async () => {
    lease = await scene.deploy();
  });

  test('for an agreement that is not deployed', async () => {
    const account = createAccount();
    const values = { landlord: account.address, tenant: account.address, rent: '1' };
    const { agreement } = lease;
    const permit = await signDeploy({ account, agreement, values, chainId, factory: scene.chain.factory });
    const body = { agreement, displayName: 'Draft', chainId, initValues: values, ...permit };
    const draft = await scene.principal.call('POST', '/v0/agreements/deploy-with-permit', { body });
    const { id } = { ...lease, ...Object(draft.body.data) };
    const input = await lease.sign({ ...accept, account: lease.tenant });
    expect(await scene.expectRefused({ id }, input.body, 409, 'not_deployed')).toMatchSnapshot();
  });

  test('for an input that the document does not have', async () => {
    const { body } = await lease.sign({ ...accept, account: lease.tenant });
    for (const inputId of ['nothing', '__proto__', 'constructor'])
      await scene.expectRefused(lease, { ...body, inputId }, 400, 'unknown_input');
  });

  test('in a state that does not accept it', async () => {
    const { body } = await lease.sign({ inputId: 'pay', values: {}, account: lease.tenant });
    expect(await scene.expectRefused(lease, body, 409, 'state_not_accepting')).toMatchSnapshot();
  });

  test('that no transition names', async () => {
    const { body } = await lease.sign({ inputId: 'idle', values: {}, account: lease.tenant });
    expect(await scene.expectRefused(lease, body, 409, 'no_transition')).toMatchSnapshot();
  });

  test('whose values break the document, with all issues at once', async () => {
    const { body } = await lease.sign({ ...accept, account: lease.tenant });
    const values = { months: 14, code: 'lower', remark: 'x'.repeat(21), colour: 'red' };
    expect(await scene.expectRefused(lease, { ...body, values }, 400, 'schema_mismatch')).toMatchSnapshot();
    for (const wrong of [{}, [], 'text', { months: 2.5 }, { months: 1e300 }, { months: null }])
      await scene.expectRefused(lease, { ...body, values: wrong }, 400, 'schema_mismatch');
    expect((await scene.submit(lease.id, { ...body, values: undefined })).status).toBe(400);
  });

  test('whose signer is no issuer', async () => {
    const stranger = createAccount();
    const { body } = await lease.sign({ ...accept, account: stranger });
    const refusal = await scene.expectRefused(lease, body, 400, 'issuer_not_allowed');
    expect(refusal.details).toMatchObject({
      signer: stranger.address,
      allowedSigners: [lease.tenant.address],
    });
    const { body: unset } = await lease.sign({ inputId: 'inspect', values: {}, account: stranger });
    await scene.expectRefused(lease, unset, 400, 'issuer_not_allowed');
  });

  test('after its deadline', async () => {
    const { body } = await lease.sign({ ...accept, account: lease.tenant, deadline: 1_700_000_000 });
    await scene.expectRefused(lease, body, 400, 'permit_expired');
  });

  test('whose action would revert, with the reason of the contract that it calls', async () => {
    const other = await scene.deploy();
    await scene.submit(other.id, (await other.sign({ ...accept, account: other.tenant })).body);
    const pay = await other.sign({ inputId: 'pay', values: {}, account: other.landlord });
    const refusal = await scene.expectRefused(other, pay.body, 409, 'action_reverted');
    expect(refusal).toMatchObject({
      message: `The transaction would revert. The contract says: "ERC20InsufficientAllowance(${other.address}, 0, 5)".`,
      details: { revert: { name: 'ERC20InsufficientAllowance', target: getAddress(scene.chain.token) } },
    });
    await scene.chain.client.setBalance({ address: other.tenant.address, value: 10n ** 18n });
    await scene.chain.client.impersonateAccount({ address: other.tenant.address });
    const mint = { abi: testTokenAbi, functionName: 'mint', args: [other.tenant.address, 5n] } as const;
    await scene.chain.send(scene.chain.token, encodeFunctionData(mint));
    const approve = { abi: testTokenAbi, functionName: 'approve', args: [other.address, 5n] } as const;
    const hash = await scene.chain.client.sendTransaction({
      account: other.tenant.address,
      chain: null,
      to: scene.chain.token,
      data: encodeFunctionData(approve),
    });
    await awaitReceipt(scene.chain.client, hash);
    expect((await scene.submit(other.id, pay.body)).status).toBe(200);
  });

  test('with members that are missing or unknown, all at once', async () => {
    const { body } = await lease.sign({ ...accept, account: lease.tenant });
    const { signer: _, ...rest } = body;
    expect(outcome(await scene.submit(lease.id, { ...rest, chainId, deadline: '1' }))).toMatchSnapshot();
  });

  test('to an agreement of another principal, known or not', async () => {
    const { body } = await lease.sign({ ...accept, account: lease.tenant });
    const other = await scene.service.createPrincipal();
    expect(outcome(await scene.submit(lease.id, body, other))).toMatchSnapshot();
    expect((await scene.submit(lease.address, body, other)).status).toBe(404);
    expect((await scene.submit('agr_0', body, other)).status).toBe(404);
  });

  test('beyond a quota of its principal', async () => {
    const own = await scene.deploy();
    // A principal whose usage the service has not read before.
    const other = await scene.service.createPrincipal();
    await addUsage(scene.service.handle.database, [
      { principalId: other.id, gas: BigInt(defaultQuotas.gasPerDay) },
    ]);
    await scene.service.handle.pool.query('update service.records set principal_id = $2 where id = $1', [
      ...[own.id, other.id],
    ]);
    const { body } = await own.sign({ ...accept, account: own.tenant });
    const before = await scene.service.countRows();
    const answer = await scene.submit(own.id, body, other);
    expect(outcome(answer)).toMatchObject({
      status: 429,
      details: { reason: 'quota_exceeded', quota: 'gasPerDay' },
    });
    expect(await scene.service.countRows()).toEqual(before);
  });

  test('by a principal that may only read', async () => {
    const reader = await scene.service.createPrincipal(['agreements.read']);
    expect((await scene.submit(lease.id, {}, reader)).status).toBe(403);
  });

  test('where the chain does not answer', async () => {
    const cutOff = await startTestApi(scene.service.databaseUrl, {});
    const { body } = await lease.sign({ ...accept, account: lease.tenant });
    const call = createCall(cutOff.baseUrl, scene.principal.key);
    expect((await scene.submit(lease.id, body, { ...scene.principal, call })).status).toBe(503);
    await cutOff.close();
  });
});

import { parseEventLogs } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { recordShape } from '../../../src/api/shapes/resources.ts';
import { createCall } from '../support/call.ts';
import { deploymentPath } from '../support/deployments.ts';
import { createAccount, signDeploy } from '../support/permits.ts';
import { chainId } from '../support/testChain.ts';
import { startTestApi } from '../support/testService.ts';
import { type DeploymentScene, startDeploymentScene } from './support/deploymentScene.ts';

let scene: DeploymentScene;
beforeAll(async () => {
  scene = await startDeploymentScene();
});
afterAll(() => scene?.close());

describe('an accepted deployment', () => {
  test('is a Draft with its document to the letter, until the index shows the agreement', async () => {
    const { account, body } = await scene.prepare();
    const observers = ['o@lease.example'];
    const participants = [
      { variableKey: 'tenant', walletAddress: scene.chain.relayer, email: 't@lease.example' },
    ];
    const answer = await scene.deploy({
      ...body,
      documentId: 'lease/1'.replace('/', '-'),
      observers,
      participants,
    });
    expect(answer.status).toBe(200);
    expect(recordShape.strict().parse(answer.body.data)).toMatchObject({
      chainId,
      displayName: 'Lease 1',
      status: 'Draft',
      json: body.agreement,
      variables: { landlord: account.address, tenant: scene.chain.relayer, rent: '5', remark: 'as seen' },
      owner: account.address,
      documentId: 'lease-1',
      docUri: 'https://leases.example/1',
      observers,
      participants: [...participants, { variableKey: 'landlord', walletAddress: account.address }],
      contributors: [scene.chain.relayer, account.address],
    });
  });

  test('is stored as the very call that the factory takes', async () => {
    const { account, body } = await scene.prepare();
    await scene.deploy(body);
    const hash = await scene.chain.send(
      scene.chain.factory,
      (await scene.findTransaction(account.address)).call_data,
    );
    const { logs } = await scene.chain.client.getTransactionReceipt({ hash });
    const [deployed] = parseEventLogs({ abi: agreementFactoryAbi, logs, eventName: 'AgreementDeployed' });
    expect(deployed?.args).toMatchObject({ owner: account.address, docUri: 'https://leases.example/1' });
  });

  test('keeps the order of the keys that were hashed', async () => {
    const { account, body } = await scene.prepare();
    const text = JSON.stringify(body).replace('"metadata":', '"10":1,"b":2,"9":3,"a":1e2,"metadata":');
    const agreement: unknown = JSON.parse(text).agreement;
    const { initValues } = body;
    const values = { landlord: account.address, tenant: scene.chain.relayer, rent: '5' };
    const permit = await signDeploy({ account, agreement, values, chainId, factory: scene.chain.factory });
    const sent = { agreement, displayName: 'x', chainId, initValues, ...permit };
    const response = await fetch(`${scene.service.baseUrl}${deploymentPath}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': scene.principal.key },
      body: JSON.stringify(sent),
    });
    expect(response.status).toBe(200);
    const answer = await response.text();
    expect(answer).toContain(`"json":${JSON.stringify(agreement)}`);
    expect(answer).toContain('"json":{"9":3,"10":1,"b":2,"a":100,"metadata"');
  });

  test('gets its own document id if none is given, and the URI that the signer derives', async () => {
    const account = createAccount();
    const { body } = await scene.prepare({ account });
    const { docUri: _, ...rest } = body;
    const values = { landlord: account.address, tenant: scene.chain.relayer, rent: '5' };
    const permit = await signDeploy({
      account,
      agreement: body.agreement,
      values,
      chainId,
      factory: scene.chain.factory,
    });
    const { data } = (await scene.deploy({ ...rest, ...permit })).body;
    expect(data).toMatchObject({
      docUri: 'ipfs://agreement/did:example:lease',
      documentId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test('answers as soon as it is deployed', async () => {
    const patient = await startTestApi(scene.service.databaseUrl, {
      rpcUrls: { [chainId]: scene.chain.rpcUrl },
      env: { DEPLOY_WAIT_MS: '600000' },
    });
    const { account, body } = await scene.prepare();
    const pending = createCall(patient.baseUrl, scene.principal.key)('POST', deploymentPath, { body });
    await expect.poll(() => scene.findTransaction(account.address).catch(() => undefined)).toBeDefined();
    const { id } = await scene.findTransaction(account.address);
    await scene.service.handle.pool.query(
      `with changed as (update service.records set status = 'Deployed', state = 'OFFERED', address = $2,
         state_block_number = 1 where deploy_transaction_id = $1 returning id)
       select pg_notify('record_changed', id) from changed`,
      [id, createAccount().address],
    );
    expect((await pending).body.data).toMatchObject({ status: 'Deployed', state: 'OFFERED' });
    await patient.close();
  });

  test('answers at once when the service stops', async () => {
    const stopping = await startTestApi(scene.service.databaseUrl, {
      rpcUrls: { [chainId]: scene.chain.rpcUrl },
      env: { DEPLOY_WAIT_MS: '60000' },
    });
    const { account, body } = await scene.prepare();
    const pending = createCall(stopping.baseUrl, scene.principal.key)('POST', deploymentPath, { body });
    await expect.poll(() => scene.findTransaction(account.address).catch(() => undefined)).toBeDefined();
    await stopping.close();
    expect((await pending).body.data).toMatchObject({ status: 'Draft' });
  });
});

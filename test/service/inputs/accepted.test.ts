import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inputRecordShape } from '../../../src/api/shapes/resources.ts';
import { createCall } from '../support/call.ts';
import { outcome } from '../support/outcome.ts';
import { createAccount } from '../support/permits.ts';
import { chainId } from '../support/testChain.ts';
import { startTestApi } from '../support/testService.ts';
import { accept, type InputScene, startInputScene } from './support/inputScene.ts';

let scene: InputScene;
beforeAll(async () => {
  scene = await startInputScene();
});
afterAll(() => scene?.close());

describe('an accepted input', () => {
  test('answers with its transaction, which does on chain what was signed', async () => {
    const lease = await scene.deploy();
    const { body, payload } = await lease.sign({ ...accept, account: lease.tenant });
    const answer = await scene.submit(lease.id, body);
    expect(answer.status).toBe(200);
    const input = inputRecordShape.strict().parse(answer.body.data);
    expect(input).toMatchObject({
      agreementId: lease.id,
      agreementAddress: lease.address,
      chainId,
      inputId: 'accept',
      userId: scene.principal.id,
      signer: lease.tenant.address,
      status: 'PENDING',
      payload,
      values: { months: '4', remark: 'gladly', code: 'A' },
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    expect(Object.keys(input.values)).toEqual(Object.keys(accept.values));
    const hash: Hex = `0x${input.txHash?.slice(2)}`;
    expect((await scene.chain.client.getTransactionReceipt({ hash })).status).toBe('success');
  });

  test('may be sent to the address of the contract, in whatever case', async () => {
    const lease = await scene.deploy();
    const { body } = await lease.sign({ inputId: 'knock', values: {}, account: createAccount() });
    const answer = await scene.submit(lease.address.toLowerCase(), body);
    expect(answer.body.data).toMatchObject({ agreementId: lease.id });
  });

  test('of a variable that the chain holds by now lets the new issuer act, before the record knows', async () => {
    const lease = await scene.deploy();
    const keeper = createAccount();
    const appoint = { inputId: 'appoint', values: { keeper: keeper.address }, account: lease.landlord };
    expect((await scene.submit(lease.id, (await lease.sign(appoint)).body)).status).toBe(200);
    const { body } = await lease.sign({ inputId: 'inspect', values: {}, account: keeper });
    expect((await scene.submit(lease.id, body)).status).toBe(200);
  });

  test('that is not signed in time is kept, and answers with it later', async () => {
    const hasty = await startTestApi(scene.service.databaseUrl, {
      rpcUrls: { [chainId]: scene.chain.rpcUrl },
      env: { SIGNING_WAIT_MS: '50' },
    });
    const lease = await scene.deploy();
    const { body } = await lease.sign({ ...accept, account: lease.tenant });
    const call = createCall(hasty.baseUrl, scene.principal.key);
    const early = await scene.worker.hold(() => scene.submit(lease.id, body, { ...scene.principal, call }));
    expect(outcome(early)).toMatchSnapshot();
    expect(early.headers.get('retry-after')).toBe('5');
    expect((await scene.submit(lease.id, body)).body.data).toMatchObject({
      status: 'PENDING',
      inputId: 'accept',
    });
    await hasty.close();
  });
});

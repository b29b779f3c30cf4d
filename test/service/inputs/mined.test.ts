import { afterAll, beforeAll, expect, test } from 'vitest';
import { inputRecordShape, recordShape, stateShape } from '../../../src/api/shapes/resources.ts';
import { createCall } from '../support/call.ts';
import { buildLease } from '../support/documents.ts';
import { type IndexedService, startIndexedService } from '../support/indexedService.ts';
import { createAccount, signDeploy, signInput } from '../support/permits.ts';
import { chainId } from '../support/testChain.ts';
import { startTestApi, type TestPrincipal } from '../support/testService.ts';

let setting: IndexedService;
let principal: TestPrincipal;
beforeAll(async () => {
  setting = await startIndexedService({ CLIENT_PROFILE: 'shodai', INPUT_WAIT_MS: '120000' });
  principal = await setting.service.createPrincipal();
});
afterAll(() => setting?.close());

async function deployLease() {
  const { factory, token } = setting.chain;
  const account = createAccount();
  const agreement = buildLease(token);
  const initValues = { landlord: account.address, tenant: account.address, rent: '5' };
  const permit = await signDeploy({ account, agreement, values: initValues, chainId, factory });
  const body = { agreement, displayName: 'Lease', chainId, initValues, ...permit };
  const answer = await principal.call('POST', '/v0/agreements/deploy-with-permit', { body });
  const { id, address } = recordShape.parse(answer.body.data);
  const agreementAddress: `0x${string}` = `0x${address?.slice(2)}`;
  const values = { months: '4', remark: 'gladly' };
  const place = { account, agreement, agreementAddress, chainId };
  return { id, input: (await signInput({ ...place, inputId: 'accept', values })).body };
}

test('an input is answered once it is mined, and the state that is read next is the new one', async () => {
  const { id, input } = await deployLease();
  const answer = await principal.call('POST', `/v0/agreements/${id}/input`, { body: input });
  expect(answer.status).toBe(201);
  expect(inputRecordShape.parse(answer.body.data)).toMatchObject({ status: 'MINED', toState: 'ACTIVE' });
  const state = await principal.call('GET', `/v0/agreements/${id}/state`);
  expect(stateShape.parse(state.body.data).state).toBe('ACTIVE');
});

test('an input that takes longer is answered as it is then', async () => {
  const { id, input } = await deployLease();
  const api = await startTestApi(setting.service.databaseUrl, {
    rpcUrls: { [chainId]: setting.chain.rpcUrl },
    env: { CLIENT_PROFILE: 'shodai', INPUT_WAIT_MS: '1' },
  });
  try {
    const call = createCall(api.baseUrl, principal.key);
    const answer = await setting.holdFolding(() =>
      call('POST', `/v0/agreements/${id}/input`, { body: input }),
    );
    expect(inputRecordShape.parse(answer.body.data)).toMatchObject({ status: 'PENDING' });
  } finally {
    await api.close();
  }
});

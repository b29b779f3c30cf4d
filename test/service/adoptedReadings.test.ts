import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordShape } from '../../src/api/shapes/resources.ts';
import { type Agent, connectAgent } from '../mcp/support/connectAgent.ts';
import { deployDirectly } from './support/directDeployment.ts';
import { reference } from './support/documents.ts';
import { type IndexedService, startIndexedService } from './support/indexedService.ts';
import { createAccount } from './support/permits.ts';
import { chainId } from './support/testChain.ts';
import type { TestPrincipal } from './support/testService.ts';

let setting: IndexedService;
let seller: TestPrincipal;
let agent: Agent;
beforeAll(async () => {
  setting = await startIndexedService({ CONSISTENCY_WAIT_MS: '120000', DEPLOY_WAIT_MS: '120000' });
  seller = await setting.service.createPrincipal();
  agent = await connectAgent({ baseUrl: setting.service.baseUrl, apiKey: seller.key });
});
afterAll(async () => {
  await agent?.close();
  await setting?.close();
});

/** An offer that the buyer may decline, and what declining leads to and calls. */
const buildOffer = (declined: string, actions: object[] = []) => ({
  metadata: { templateId: 'did:template:offer', name: 'Offer' },
  variables: { buyer: { type: 'address', subtype: 'participant', validation: { required: true } } },
  content: { type: 'md', data: 'The buyer may decline; then nothing is owed.' },
  execution: {
    initialize: { initialState: 'OFFERED', data: { buyer: reference('buyer') } },
    states: { OFFERED: {}, DECLINED: {}, PAID: {} },
    inputs: {
      decline: { issuer: reference('buyer'), data: {} },
      pay: { issuer: reference('buyer'), data: {} },
    },
    transitions: [
      { from: 'OFFERED', to: declined, conditions: [{ input: 'decline' }] },
      { from: 'OFFERED', to: 'PAID', conditions: [{ input: 'pay' }] },
    ],
    actions,
  },
});

const approval = (target: string) => ({
  when: { from: 'OFFERED', input: 'decline' },
  call: {
    ...{ type: 'evmCall', target, method: 'approve', args: [target, '1000000'] },
    abi: [
      {
        type: 'function',
        name: 'approve',
        inputs: [
          { name: 'spender', type: 'address' },
          { name: 'value', type: 'uint256' },
        ],
      },
    ],
  },
});

/** Imports an agreement with its document, whose contract was created from `readAs`, and prepares its input. */
async function prepareDecline(readAs: object) {
  const buyer = createAccount();
  const agreement = buildOffer('DECLINED');
  const deployment = { agreement, values: { buyer: buyer.address }, readAs };
  const address = await deployDirectly(setting.chain, deployment);
  const body = { chainId, address, agreement, displayName: 'Offer' };
  const { id } = recordShape.parse((await seller.call('POST', '/v0/agreements/import', { body })).body.data);
  const wanted = { purpose: 'input', agreementId: id, inputId: 'decline', values: {}, signer: buyer.address };
  const { text, isError } = await agent.call('prepare_signature', wanted);
  expect(isError, text).toBe(false);
  return text;
}

test('an agent is told before signing that the contract does something else than its document', async () => {
  const { token } = setting.chain;
  const text = await prepareDecline(buildOffer('PAID', [approval(token)]));
  expect(text).toMatch(/^CAUTION: the contract does not do what the document says\./);
  expect(text).toContain(`leads to "PAID", and calls the contract ${token}`);
  expect(text).not.toContain('DECLINED');
});

test('a call alone is told too', async () => {
  const { token } = setting.chain;
  const text = await prepareDecline(buildOffer('DECLINED', [approval(token)]));
  expect(text).toContain(`leads to "DECLINED", and calls the contract ${token}`);
});

test('nothing is said of a contract that does as its document says', async () => {
  const text = await prepareDecline(buildOffer('DECLINED'));
  expect(text).not.toContain('CAUTION');
  expect(text).toContain('It leads from "OFFERED" to "DECLINED".');
});

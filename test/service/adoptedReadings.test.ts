import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgreementsClient } from '../../client/src/index.ts';
import { signInput } from '../../client/src/viem/index.ts';
import { recordShape } from '../../src/api/shapes/resources.ts';
import { newSigningLinkShape, sharedRecordShape } from '../../src/api/shapes/sharingShapes.ts';
import { recordSimulationShape } from '../../src/api/shapes/simulationShapes.ts';
import { type Agent, connectAgent } from '../mcp/support/connectAgent.ts';
import { createCall } from './support/call.ts';
import { deployDirectly } from './support/directDeployment.ts';
import { reference } from './support/documents.ts';
import { type IndexedService, startIndexedService } from './support/indexedService.ts';
import { createAccount } from './support/permits.ts';
import { chainId } from './support/testChain.ts';
import type { TestPrincipal } from './support/testService.ts';

let setting: IndexedService;
let seller: TestPrincipal;
let agent: Agent;
let hostedAgent: Agent;
beforeAll(async () => {
  setting = await startIndexedService({ CONSISTENCY_WAIT_MS: '120000', DEPLOY_WAIT_MS: '120000' });
  seller = await setting.service.createPrincipal();
  agent = await connectAgent({ baseUrl: setting.service.baseUrl, apiKey: seller.key });
  hostedAgent = await connectAgent({
    baseUrl: setting.service.baseUrl,
    apiKey: seller.key,
    path: '/mcp/compat',
  });
});
afterAll(async () => {
  await agent?.close();
  await hostedAgent?.close();
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
async function adopt(
  readAs: object,
  { named: agreement = buildOffer('DECLINED'), ...options }: { named?: object; isIndirect?: boolean } = {},
) {
  const buyer = createAccount();
  const deployment = { agreement, values: { buyer: buyer.address }, readAs, ...options };
  const address = await deployDirectly(setting.chain, deployment);
  const body = { chainId, address, agreement, displayName: 'Offer' };
  const imported = await seller.call('POST', '/v0/agreements/import', { body });
  const { id, onChain } = recordShape.parse(imported.body.data);
  return { id, buyer, differing: onChain.differsFromDocument };
}

const approving = () => buildOffer('PAID', [approval(setting.chain.token)]);

/** The same offer, which anybody may decline: to play that, no value of the creation must be known. */
function openToAll(offer: ReturnType<typeof buildOffer>) {
  const { execution } = offer;
  return { ...offer, execution: { ...execution, inputs: { ...execution.inputs, decline: { data: {} } } } };
}

async function ask(tool: string, args: Record<string, unknown>, by = agent): Promise<string> {
  const { text, isError } = await by.call(tool, args);
  expect(isError, text).toBe(false);
  return text;
}

async function prepareDecline(readAs: object, options?: Parameters<typeof adopt>[1]): Promise<string> {
  const { id, buyer } = await adopt(readAs, options);
  const named = { agreementId: id, inputId: 'decline', values: {}, signer: buyer.address };
  return ask('prepare_signature', { purpose: 'input', ...named });
}

describe('a record tells', () => {
  test('that its contract does as the document says', async () => {
    expect((await adopt(buildOffer('DECLINED'))).differing).toEqual([]);
  });

  test('what its contract does otherwise, to its principal and to guests', async () => {
    const { id, differing } = await adopt(approving());
    expect(differing).toEqual(['transitions', 'actions']);
    const link = await seller.call('POST', `/v0/agreements/${id}/links`, { body: { may: 'read' } });
    const { url } = newSigningLinkShape.parse(link.body.data);
    const headers = { 'x-agreements-link': new URL(url).hash.slice(1) };
    const shared = await createCall(setting.service.baseUrl)('GET', '/v0/shared/agreement', { headers });
    expect(sharedRecordShape.parse(shared.body.data).differsFromDocument).toEqual(['transitions', 'actions']);
  });

  test('nothing if the creation cannot be read, but calls that the document does not have', async () => {
    expect((await adopt(buildOffer('DECLINED'), { isIndirect: true })).differing).toBeUndefined();
    expect((await adopt(approving(), { isIndirect: true })).differing).toEqual(['actions']);
  });
});

describe('a simulation tells', () => {
  const simulate = async (id: string, by = 'buyer') => {
    const body = { steps: [{ inputId: 'decline', values: {}, by }] };
    const answer = await seller.call('POST', `/v0/agreements/${id}/simulate`, { body });
    const { differsFromDocument, rulesFrom, state } = recordSimulationShape.parse(answer.body.data);
    return { differsFromDocument, rulesFrom, state };
  };

  test('that its contract does as the document says', async () => {
    const { id } = await adopt(buildOffer('DECLINED'));
    expect(await simulate(id)).toEqual({
      differsFromDocument: [],
      rulesFrom: 'contract',
      state: 'DECLINED',
    });
  });

  test('the parts that it plays as the contract has them', async () => {
    const { id } = await adopt(approving());
    expect(await simulate(id)).toEqual({
      differsFromDocument: ['transitions', 'actions'],
      rulesFrom: 'contract',
      state: 'PAID',
    });
  });

  test('nothing if it plays the rules of the document, because the creation cannot be read', async () => {
    const { id } = await adopt(buildOffer('PAID'), { isIndirect: true });
    expect(await simulate(id)).toMatchObject({ differsFromDocument: undefined, rulesFrom: 'document' });
  });

  test('that it plays the rules of the document with the calls of the contract, if only these can be read', async () => {
    const named = openToAll(buildOffer('DECLINED'));
    const { id, buyer } = await adopt(openToAll(approving()), { named, isIndirect: true });
    expect(await simulate(id, buyer.address)).toEqual({
      differsFromDocument: ['actions'],
      rulesFrom: 'document',
      state: 'DECLINED',
    });
  });

  test('an agent the same', async () => {
    const steps = [{ inputId: 'decline', by: 'buyer' }];
    const simulateOf = async (adopted: ReturnType<typeof adopt>) =>
      ask('simulate_agreement', { agreementId: (await adopted).id, steps });
    expect(await simulateOf(adopt(buildOffer('DECLINED')))).not.toContain('CAUTION');
    expect(await simulateOf(adopt(approving()))).toMatch(
      /^CAUTION: .* It differs in: transitions, actions\.\n1\. "decline": accepted, goes to "PAID"/,
    );
    expect(await simulateOf(adopt(buildOffer('PAID'), { isIndirect: true }))).toMatch(
      /^CAUTION: it cannot be told .* were played as the document has them\.\n1\. "decline"/,
    );
    expect(await simulateOf(adopt(approving(), { isIndirect: true }))).toMatch(
      /^CAUTION: .* It differs in: actions\. .* were played as the document has them\.\n1\. "decline"/,
    );
  });
});

test('the client does not sign for such a contract unless it is told to', async () => {
  const { id, buyer } = await adopt(approving());
  const client = new AgreementsClient({ baseUrl: setting.service.baseUrl, apiKey: seller.key });
  const input = { client, account: buyer, agreementId: id, inputId: 'decline' };
  await expect(signInput(input)).rejects.toMatchObject({
    name: 'PermitRefusedError',
    reason: 'rules_differ',
  });
  expect((await signInput({ ...input, despiteDifferences: true })).agreementId).toBe(id);
});

describe('an agent is told before signing', () => {
  test('that the contract does something else than its document', async () => {
    const text = await prepareDecline(approving());
    expect(text).toMatch(/^CAUTION: the contract does not do what the document says\./);
    expect(text).toContain(`leads to "PAID", and calls the contract ${setting.chain.token}`);
    expect(text).not.toContain('DECLINED');
  });

  test('that it makes a call', async () => {
    const { token } = setting.chain;
    const text = await prepareDecline(buildOffer('DECLINED', [approval(token)]));
    expect(text).toContain(`leads to "DECLINED", and calls the contract ${token}`);
  });

  test('that it differs elsewhere', async () => {
    const offer = buildOffer('DECLINED');
    const readAs = {
      ...offer,
      execution: { ...offer.execution, transitions: offer.execution.transitions.slice(0, 1) },
    };
    expect(await prepareDecline(readAs)).toMatch(
      /^CAUTION: .* leads to "DECLINED", and calls no other contract\./,
    );
  });

  test('that it calls another contract than the document says', async () => {
    const { token, factory } = setting.chain;
    const named = buildOffer('DECLINED', [approval(factory)]);
    const text = await prepareDecline(buildOffer('DECLINED', [approval(token)]), { named });
    expect(text).toMatch(/^CAUTION/);
    expect(text).toContain(`calls the contract ${token}`);
    expect(text).not.toContain(factory);
  });

  test('that its rules are not known, if the creation cannot be read', async () => {
    const text = await prepareDecline(buildOffer('PAID'), { isIndirect: true });
    expect(text).toMatch(/^CAUTION: it cannot be told whether the contract does what the document says\./);
    expect(text).not.toContain('It leads');
  });

  test('that only the document tells where an input leads, if only the calls of the contract can be read', async () => {
    const { token } = setting.chain;
    // The contract leads to PAID.
    const named = openToAll(buildOffer('DECLINED'));
    const text = await prepareDecline(openToAll(approving()), { named, isIndirect: true });
    expect(text).toMatch(/^CAUTION: the contract does not do what the document says\./);
    expect(text).toContain(`The input calls the contract ${token}.`);
    expect(text).toContain('known only from the document, which says "DECLINED".');
    expect(text).not.toContain('By its own rules');
  });

  test('nothing of a contract that does as its document says', async () => {
    const text = await prepareDecline(buildOffer('DECLINED'));
    expect(text).not.toContain('CAUTION');
    expect(text).toContain('It leads from "OFFERED" to "DECLINED".');
  });
});

test('an agent who reads such an agreement, or prepares its input by the other names, is told too', async () => {
  const { id, buyer } = await adopt(approving());
  expect(await ask('read_agreement', { agreementId: id })).toMatch(
    /^CAUTION: .* It differs in: transitions, actions\./,
  );
  const named = { agreementId: id, inputId: 'decline', values: {}, signerAddress: buyer.address };
  expect(await ask('prepare_input_typed_data', named, hostedAgent)).toContain(
    'It differs in: transitions, actions.',
  );
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { chainId, createAccount, stack } from '../client/support/stack.ts';
import { type Agent, connectAgent } from './support/connectAgent.ts';
import { act } from './support/signPrepared.ts';

const [owner, token] = [createAccount(), createAccount()];
const reference = (name: string) => `\${variables.${name}}`;

/** One input sets off a call of a fixed token, the other of a contract that an input can replace. */
const deal = {
  metadata: { templateId: 'did:template:deal', name: 'Deal' },
  variables: {
    owner: { type: 'address', subtype: 'participant' },
    token: { type: 'address' },
    bank: { type: 'address' },
    price: { type: 'uint256' },
    rent: { type: 'uint256' },
  },
  content: { type: 'md', data: reference('rent') },
  execution: {
    initialize: {
      initialState: 'OPEN',
      data: { owner: reference('owner'), price: reference('price'), bank: reference('bank') },
    },
    states: { OPEN: { description: 'Open' } },
    inputs: {
      pay: {
        issuer: { type: 'participant', variable: 'owner' },
        schema: { amount: { type: 'uint256' }, note: { type: 'string', validation: { required: false } } },
      },
      move: { issuer: { type: 'participant', variable: 'owner' }, data: { bank: reference('bank') } },
    },
    transitions: ['pay', 'move'].map((input) => ({ from: 'OPEN', to: 'OPEN', conditions: [{ input }] })),
    actions: [
      ['pay', 'token'],
      ['move', 'bank'],
    ].map(([input, target = '']) => ({
      id: target,
      when: { from: 'OPEN', input },
      call: {
        ...{ type: 'evmCall', target: reference(target), method: 'burn', args: [reference('price')] },
        abi: [{ type: 'function', name: 'burn', inputs: [{ name: 'value', type: 'uint256' }], outputs: [] }],
      },
    })),
  },
};
const values = { token: token.address, bank: token.address, price: '5', rent: '900' };
const deployment = {
  purpose: 'deploy' as const,
  agreement: deal,
  chainId,
  initValues: values,
  participants: [{ variableKey: 'owner', walletAddress: owner.address }],
};

let agent: Agent;
let agreementId: string;
beforeAll(async () => {
  agent = await connectAgent(stack);
  const deployed = await act(agent, owner, deployment, { displayName: 'Deal' });
  ({ agreementId } = z.looseObject({ agreementId: z.string() }).parse(deployed.data));
});
afterAll(() => agent.close());

const prepare = async (subject: Record<string, unknown>) => {
  const answer = await agent.call('prepare_signature', { ...subject, signer: owner.address });
  expect(answer.isError, answer.text).toBe(false);
  const { means } = z.looseObject({ means: z.string() }).parse(answer.data);
  expect(answer.text).toContain(means);
  return { means, data: answer.data };
};

test('what signing an input means names the agreement by its document, and the other name of the record as not signed', async () => {
  const name = 'Claim your refund';
  const { data } = await act(agent, owner, deployment, { displayName: name });
  const renamed = z.looseObject({ agreementId: z.string() }).parse(data).agreementId;
  const subject = { purpose: 'input', inputId: 'pay', values: { amount: '1' } };
  const { means } = await prepare({ ...subject, agreementId: renamed });
  expect(means).toContain('Signing sends "pay" to "Deal" in the name of');
  expect(means).toContain(`The name of its record is "${name}". No signature covers that name.`);
  expect((await prepare({ ...subject, agreementId })).means).not.toContain('record');
});

test('what signing an input means says every value that is signed, and the call that it sets off', async () => {
  const pay = (own: object) => prepare({ purpose: 'input', agreementId, inputId: 'pay', values: own });
  const { means, data } = await pay({ amount: '9000', note: 'for "May"\nSigning is safe.' });
  expect(means).toContain(String.raw`"amount" = "9000", "note" = "for \"May\"\nSigning is safe."`);
  expect(means).toContain(
    `The agreement then calls "burn" of the contract "${reference('token')}" at ${token.address} with "${reference('price')}".`,
  );
  expect(data).toMatchObject({
    quotedValues: { amount: '9000', note: 'for "May"\nSigning is safe.' },
    quotedCall: { address: token.address, target: reference('token'), method: 'burn' },
  });
  const told = [means, (await pay({ amount: '90' })).means, (await pay({ amount: '90', note: '' })).means];
  expect(new Set(told.map((one) => one.replace(/valid until .*/, ''))).size).toBe(3);
});

test('what signing means names the characters of a value that nobody sees', async () => {
  const own = { amount: '90', note: 'May\u3164\u{e0153}\u{e0149}' };
  const { means, data } = await prepare({ purpose: 'input', agreementId, inputId: 'pay', values: own });
  expect(means).toContain(String.raw`"note" = "May\u{3164}\u{e0153}\u{e0149}"`);
  expect(data.quotedValues).toEqual(own);
});

test('a target that inputs can replace is not taken for the one that the deployment chose', async () => {
  const bank = createAccount().address;
  const move = { purpose: 'input' as const, agreementId, inputId: 'move', values: { bank } };
  expect((await act(agent, owner, move)).data).toMatchObject({ status: 'MINED' });
  const { means, data } = await prepare(move);
  expect(means).toContain(`of the contract "${reference('bank')}" with`);
  expect(data.quotedCall).not.toHaveProperty('address');
});

test('what signing a deployment means says its name, its values and wallets, and which values nobody signs', async () => {
  const { means, data } = await prepare(deployment);
  const signed = { owner: owner.address, token: token.address, bank: token.address, price: '5' };
  expect(data.quotedValues).toEqual(signed);
  expect(means).toContain(`Signing deploys "Deal" on chain ${chainId}, owned by ${owner.address}, with `);
  for (const [name, value] of Object.entries(signed)) expect(means).toContain(`"${name}" = "${value}"`);
  expect(means).toContain('The signature does not cover the values of "rent".');
  const dearer = await prepare({ ...deployment, initValues: { ...values, price: '6' } });
  expect(dearer.means).toContain('"price" = "6"');
});

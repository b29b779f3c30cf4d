import { readFileSync } from 'node:fs';
import { type Address, parseEventLogs, zeroHash } from 'viem';
import type { HDAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { testTokenAbi } from '../../contracts-test/abis/TestToken.ts';
import { deployTestToken } from '../../contracts-test/deploy.ts';
import {
  checkInputValues,
  compileAgreement,
  decodeInputPayload,
  stateName,
} from '../../src/protocol/index.ts';
import { type Authored, createFromDocument, submitFromDocument } from './support/authored.ts';
import { accounts, startTestChain, type TestChain } from './support/chain.ts';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

type Step = { inputId: string; values: object; signer: HDAccount };

/**
 * Submits an input with a permit, and returns the entered state and the payload as the chain announced them.
 */
async function take(document: unknown, agreement: Address, step: Step) {
  const { logs } = await chain.send(await submitFromDocument({ chain, document, agreement, ...step }));
  const [accepted] = parseEventLogs({ abi: agreementEngineAbi, eventName: 'InputAccepted', logs });
  if (!accepted) throw new Error('no input was accepted');
  const values = decodeInputPayload(document, accepted.args.payload, step.inputId).map(({ name, value }) => [
    name,
    value,
  ]);
  return { state: stateName(document, accepted.args.toState), values };
}

const refuses = async (authored: Omit<Authored, 'chain'> & Step & { agreement: Address }) =>
  (await chain.findRevertData(await submitFromDocument({ chain, ...authored }))) !== null;

describe('a document with participants and schemas', () => {
  const document: unknown = JSON.parse(
    readFileSync(new URL('../vectors/escrow.agreement.json', import.meta.url), 'utf8'),
  );
  const [buyer, seller] = [accounts.owner, accounts.stranger];
  const values = {
    buyer: buyer.address,
    seller: seller.address,
    price: '12',
    express: false,
    orderRef: zeroHash,
  };

  it('is created and led to its end by permits over our typed data', async () => {
    const { agreement, docHash, owner } = await createFromDocument({ chain, document, values });
    expect({ docHash, owner }).toEqual({
      docHash: compileAgreement(document, { values }).docHash,
      owner: accounts.signer.address,
    });

    const pay = { inputId: 'pay', values: { note: 'é✓', amount: '6', receipt: zeroHash }, signer: buyer };
    expect(await refuses({ document, agreement, ...pay, signer: seller })).toBe(true);
    expect(await take(document, agreement, pay)).toEqual({
      state: 'PAID',
      values: Object.entries(pay.values),
    });

    const ship = {
      inputId: 'ship',
      values: { insured: true, shippedAt: 'now', tracking: 'AB123456' },
      signer: seller,
    };
    expect(await refuses({ document, agreement, ...ship, signer: buyer })).toBe(true);
    expect(await take(document, agreement, ship)).toEqual({
      state: 'DONE',
      values: Object.entries(ship.values),
    });
  });
});

describe('a document with references, several issuers, contracts and an action', () => {
  const [first, second, literal] = [accounts.owner, accounts.stranger, accounts.submitter];

  it('is created, appoints an issuer and pays by permits over our typed data', async () => {
    const token = await deployTestToken({ rpcUrl: chain.rpcUrl });
    const document = buildPayment({ token, literal: literal.address });
    const values = { payer: first.address, salary: 40, anything: 4.5 };
    const { agreement, docUri } = await createFromDocument({ chain, document, values });
    expect(docUri).toBe('ipfs://agreement/undefined');

    const appoint = { inputId: 'appoint', values: { payee: second.address, remark: true }, signer: literal };
    expect(await refuses({ document, agreement, ...appoint, signer: second })).toBe(true);
    expect(await take(document, agreement, appoint)).toEqual({
      state: '2',
      values: [
        ['payee', second.address],
        ['remark', 'true'],
      ],
    });

    const claim = { inputId: 'claim', values: {}, signer: second };
    expect(await refuses({ document, agreement, ...claim, signer: first })).toBe(true);
    expect(await take(document, agreement, claim)).toEqual({ state: 'paid', values: [] });
    const balance = {
      address: token,
      abi: testTokenAbi,
      functionName: 'balanceOf',
      args: [first.address],
    } as const;
    expect(await chain.client.readContract(balance)).toBe(40n);
  });
});

describe('the contract and the check of values agree', () => {
  const document = buildRules();
  let agreement: Address;
  beforeAll(async () => {
    agreement = (await createFromDocument({ chain, document, values: {} })).agreement;
  });

  it.each([
    { sum: 5, name: 'é' },
    { sum: 4, name: 'é' },
    { sum: '10', name: 'ab' },
    { sum: 11, name: 'ab' },
    { sum: 7, name: 'a' },
    { sum: 7, name: '✓✓' },
    { sum: 7, name: '✓✓a' },
    { sum: 7 },
    { name: 'ab' },
    { sum: 7, name: 'ab', spare: 2 ** 40 },
    { sum: 7, name: 'ab', spare: 3 },
  ])('on %j', async (values) => {
    const isWrong = checkInputValues({ agreement: document, inputId: 'go', values }).length > 0;
    expect(await refuses({ document, agreement, inputId: 'go', values, signer: accounts.owner })).toBe(
      isWrong,
    );
  });
});

/**
 * The payer or a literal account appoints the payee. The payee then makes the agreement mint tokens for the
 * payer.
 */
function buildPayment({ token, literal }: { token: Address; literal: Address }): unknown {
  const variables = {
    payer: { type: 'address' },
    payee: { type: 'address' },
    salary: { type: 'uint256', validation: { min: 1 } },
    anything: { type: 'number' },
  };
  const abi = [{ type: 'function', name: 'mint', inputs: [{ type: 'address' }, { type: 'uint256' }] }];
  const args = [`\${variables.payer.value}`, `\${variables.salary}`];
  const call = { type: 'evmCall', target: `\${contracts.token.address}`, abi, method: 'mint', args };
  return {
    variables,
    contracts: { token: { address: token.toLowerCase() } },
    execution: {
      states: { 2: {}, 1: {}, paid: {} },
      initialize: { initialState: '1', data: { b: `\${variables.payer}`, a: `\${variables.anything}` } },
      inputs: {
        appoint: {
          data: { who: `\${variables.payee}`, remark: { type: 'note' } },
          issuer: [literal, `\${variables.payer.value}`],
        },
        claim: { data: {}, issuer: `\${variables.payee.value}` },
      },
      transitions: [
        { from: '1', to: '2', conditions: [{ input: 'appoint' }] },
        { from: '2', to: 'paid', conditions: [{ input: 'claim' }] },
      ],
      actions: [{ id: 'pay', when: { from: '2', input: 'claim' }, call }],
    },
  };
}

/** One input that anyone may submit repeatedly, with a bound of every kind. */
function buildRules(): unknown {
  const data = {
    sum: { type: 'uint256', validation: { min: 5, max: '0xa' } },
    name: { type: 'string', validation: { minLength: 2, maxLength: 6 } },
    spare: { type: 'uint256', validation: { required: false, max: 2 } },
  };
  return {
    execution: {
      states: { open: {} },
      initialize: { initialState: 'open' },
      inputs: { go: { data } },
      transitions: [{ from: 'open', to: 'open', conditions: [{ input: 'go' }] }],
    },
  };
}

import { type Address, encodeFunctionData, type Hex, zeroHash } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../abis/AgreementFactory.ts';
import { testTokenAbi } from '../../contracts-test/abis/TestToken.ts';
import { deployTestToken } from '../../contracts-test/deploy.ts';
import {
  createAgreement,
  creationCall,
  inputDef,
  rawSubmission,
  readState,
  submission,
  transition,
} from './support/agreement.ts';
import { accounts, factory, startTestChain, type TestChain } from './support/chain.ts';
import { readEvents } from './support/events.ts';
import { condition, declare, encodePayload, id, textField } from './support/language.ts';
import { permittedSubmission, signInput } from './support/permits.ts';
import { customError, panic, reason } from './support/reverts.ts';

const payer = accounts.owner.address;
const payee = accounts.stranger.address;
const withoutCode: Address = '0x00000000000000000000000000000000000c0de0';

let chain: TestChain;
let token: Address;
beforeAll(async () => {
  chain = await startTestChain();
  token = await deployTestToken({ rpcUrl: chain.rpcUrl });
});
afterAll(() => chain.stop());

/** An agreement in which `act` leads from `open` to `paid` and makes this call. */
function createWithAction(target: Address, data: Hex, value = 0n) {
  return createAgreement(chain, {
    transitions: [transition('open', 'act', 'paid')],
    actions: [{ fromState: id('open'), inputId: id('act'), target, value, data }],
  });
}

const failure = (target: Address, revertData: Hex) =>
  customError('ActionCallFailed(address target, bytes revertData)', target, revertData);
const abi = testTokenAbi;
const mint = (amount: bigint) => encodeFunctionData({ abi, functionName: 'mint', args: [payer, amount] });
const transfer = encodeFunctionData({ abi, functionName: 'transferFrom', args: [payer, payee, 30n] });
const failWithoutData = encodeFunctionData({ abi, functionName: 'failWithoutData' });
const readBalance = (holder: Address) =>
  chain.client.readContract({ address: token, abi: testTokenAbi, functionName: 'balanceOf', args: [holder] });

describe('an action', () => {
  it('is called by the agreement itself in the transaction of its transition, and announced before it', async () => {
    const agreement = await createWithAction(token, transfer);
    await chain.send({ from: payer, to: token, data: mint(100n) });
    const approve = encodeFunctionData({ abi, functionName: 'approve', args: [agreement, 30n] });
    await chain.send({ from: payer, to: token, data: approve });

    const { logs } = await chain.send(submission(agreement, 'act'));
    const step = { fromState: id('open'), toState: id('paid'), inputId: id('act') };
    expect(readEvents(logs)).toMatchObject([
      ['ActionExecuted', { ...step, target: expect.stringMatching(new RegExp(token, 'i')) }],
      ['InputAccepted', step],
    ]);
    expect(await readBalance(payee)).toBe(30n);
    expect(await readBalance(payer)).toBe(70n);
  });

  it('is announced before the permit that made it', async () => {
    const agreement = await createWithAction(token, mint(1n));
    const deadline = (await chain.now()) + 600n;
    const payload = encodePayload();
    const signature = await signInput(agreement, id('act'), payload, { deadline });
    const { logs } = await chain.send(
      permittedSubmission(agreement, id('act'), payload, deadline, signature),
    );
    expect(readEvents(logs).map(([name]) => name)).toEqual([
      'ActionExecuted',
      'InputAccepted',
      'InputSubmittedWithPermit',
    ]);
  });

  it('to an address without code succeeds', async () => {
    const agreement = await createWithAction(withoutCode, '0x1234');
    const { logs } = await chain.send(submission(agreement, 'act'));
    expect(readEvents(logs).map(([name]) => name)).toEqual(['ActionExecuted', 'InputAccepted']);
  });

  it('that fails undoes the whole input: the state and what was stored', async () => {
    const agreement = await createAgreement(chain, {
      inputDefs: [
        inputDef('act', { fields: [declare('note', 'STRING', { persist: true })] }),
        inputDef('read', {
          fields: [declare('expected', 'STRING')],
          conditions: [condition('STRING_EQ_VAR', 'expected', id('note'))],
        }),
      ],
      transitions: [transition('open', 'act', 'paid'), transition('open', 'read', 'open')],
      actions: [{ fromState: id('open'), inputId: id('act'), target: token, value: 0n, data: transfer }],
    });
    const submitted = submission(agreement, 'act', [textField('note', 'é')]);
    const refusal = customError(
      'ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
      agreement,
      0n,
      30n,
    );
    expect(await chain.findRevertData(submitted)).toBe(failure(token, refusal));
    await expect(chain.send({ ...submitted, gas: 1_000_000n })).rejects.toThrow('reverted');
    expect(await readState(chain, agreement)).toBe(id('open'));
    expect(await chain.findRevertData(submission(agreement, 'read', [textField('expected', 'é')]))).toBe(
      customError('VarNotSet(bytes32 fieldId)', id('note')),
    );
  });

  it.each<[string, Hex, Hex]>([
    [
      'a reason',
      encodeFunctionData({ abi, functionName: 'failWithReason', args: ['no: é'] }),
      reason('no: é'),
    ],
    [
      'a custom error',
      encodeFunctionData({ abi, functionName: 'failWithCustomError', args: [7n, payee, 'note'] }),
      customError('TestFailure(uint256 code, address account, string note)', 7n, payee, 'note'),
    ],
    ['a panic', encodeFunctionData({ abi, functionName: 'failWithPanic' }), panic(0x12n)],
    ['no data', failWithoutData, '0x'],
    ['no data, for want of such a function', '0x12345678', '0x'],
  ])('that fails with %s passes that on', async (_, data, revertData) => {
    const agreement = await createWithAction(token, data);
    expect(await chain.findRevertData(submission(agreement, 'act'))).toBe(failure(token, revertData));
  });

  it('with a value is paid by the agreement, and fails when that has too little', async () => {
    const agreement = await createWithAction(withoutCode, '0x', 5n);
    expect(await chain.findRevertData(submission(agreement, 'act'))).toBe(failure(withoutCode, '0x'));

    await chain.client.setBalance({ address: agreement, value: 5n });
    const before = await chain.client.getBalance({ address: withoutCode });
    await chain.send(submission(agreement, 'act'));
    expect(await chain.client.getBalance({ address: withoutCode })).toBe(before + 5n);
    expect(await chain.client.getBalance({ address: agreement })).toBe(0n);
  });

  it('runs only for the state and the input that it was registered for', async () => {
    const failing = { target: token, value: 0n, data: failWithoutData };
    const agreement = await createAgreement(chain, {
      inputDefs: [inputDef('act'), inputDef('other')],
      actions: [
        { fromState: id('closed'), inputId: id('act'), ...failing },
        { fromState: id('open'), inputId: id('other'), ...failing },
      ],
    });
    const { logs } = await chain.send(submission(agreement, 'act'));
    expect(readEvents(logs).map(([name]) => name)).toEqual(['InputAccepted']);
  });

  it('registered again for the same state and input replaces the first', async () => {
    const step = { fromState: id('open'), inputId: id('act'), value: 0n };
    const agreement = await createAgreement(chain, {
      actions: [
        { ...step, target: token, data: failWithoutData },
        { ...step, target: withoutCode, data: '0x' },
      ],
    });
    expect(await chain.findRevertData(submission(agreement, 'act'))).toBeNull();
  });
});

describe('an action that calls back', () => {
  const reentrant = customError('ReentrancyGuardReentrantCall()');
  const salt = id('reentrant');

  it('cannot submit an input of the same agreement, directly, through another contract or by a permit', async () => {
    const self = await chain.client.readContract({
      address: factory,
      abi: agreementFactoryAbi,
      functionName: 'predictAddress',
      args: [salt],
    });
    const direct = submission(self, 'act').data;
    const forwarded = encodeFunctionData({ abi, functionName: 'forward', args: [self, direct] });
    const nobody = [payer, id('act'), '0x', 2n ** 256n - 1n, 27, zeroHash, zeroHash] as const;
    const permitted = encodeFunctionData({
      abi: agreementEngineAbi,
      functionName: 'submitInputWithPermit',
      args: nobody,
    });

    const step = { fromState: id('open'), value: 0n };
    await chain.send(
      creationCall(
        {
          inputDefs: [inputDef('act'), inputDef('through'), inputDef('permit')],
          transitions: ['act', 'through', 'permit'].map((input) => transition('open', input, 'open')),
          actions: [
            { ...step, inputId: id('act'), target: self, data: direct },
            { ...step, inputId: id('through'), target: token, data: forwarded },
            { ...step, inputId: id('permit'), target: self, data: permitted },
          ],
        },
        salt,
      ),
    );
    expect(await chain.findRevertData(submission(self, 'act'))).toBe(failure(self, reentrant));
    expect(await chain.findRevertData(submission(self, 'through'))).toBe(failure(token, reentrant));
    expect(await chain.findRevertData(submission(self, 'permit'))).toBe(failure(self, reentrant));
  });

  it('may submit an input of another agreement', async () => {
    const other = await createAgreement(chain, { transitions: [transition('open', 'act', 'closed')] });
    const agreement = await createWithAction(other, rawSubmission(other, 'act', encodePayload()).data);
    const { logs } = await chain.send(submission(agreement, 'act'));
    expect(readEvents(logs).map(([name]) => name)).toEqual([
      'InputAccepted',
      'ActionExecuted',
      'InputAccepted',
    ]);
    expect(await readState(chain, other)).toBe(id('closed'));
  });
});

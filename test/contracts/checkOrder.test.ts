import { type Address, encodeFunctionData } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testTokenAbi } from '../../contracts-test/abis/TestToken.ts';
import { testVerifierAbi } from '../../contracts-test/abis/TestVerifier.ts';
import { deployTestToken, deployTestVerifier } from '../../contracts-test/deploy.ts';
import {
  type Content,
  createAgreement,
  inputDef,
  rawSubmission,
  submission,
  transition,
} from './support/agreement.ts';
import { accounts, implementation, startTestChain, type TestChain } from './support/chain.ts';
import {
  condition,
  declare,
  encodePayload,
  encodeUint,
  id,
  senderIs,
  textField,
  uintField,
} from './support/language.ts';
import { permittedSubmission, unrecoverable } from './support/permits.ts';
import { customError, reason, withoutData } from './support/reverts.ts';

let chain: TestChain;
let verifier: Address;
let token: Address;
beforeAll(async () => {
  chain = await startTestChain();
  const { rpcUrl } = chain;
  [token, verifier] = [await deployTestToken({ rpcUrl }), await deployTestVerifier({ rpcUrl })];
});
afterAll(() => chain.stop());

const refuse = (refusing: boolean) =>
  chain.send({
    from: accounts.owner.address,
    to: verifier,
    data: encodeFunctionData({ abi: testVerifierAbi, functionName: 'setRefusing', args: [refusing] }),
  });

describe('an input with everything wrong', () => {
  it('is refused for one fault after the other, in the order of the checks', async () => {
    const failing = encodeFunctionData({ abi: testTokenAbi, functionName: 'failWithPanic' });
    const content: Partial<Content> = {
      inputDefs: [
        inputDef('act', {
          fields: [declare('amount', 'UINT256', { persist: true }), declare('title', 'STRING')],
          conditions: [
            condition('STRING_MIN_LENGTH', 'title', encodeUint(3n)),
            condition('UINT_LTE_VAR', 'amount', id('limit')),
          ],
          verifierKeys: [id('verifier')],
        }),
      ],
      initVars: [uintField('limit', 10n), uintField('amount', 0n)],
      verifiers: [{ key: id('verifier'), verifier }],
      actions: [{ fromState: id('open'), inputId: id('act'), target: token, value: 0n, data: failing }],
    };
    const stuck = await createAgreement(chain, { ...content, transitions: [] });
    const moving = await createAgreement(chain, {
      ...content,
      transitions: [transition('open', 'act', 'open')],
    });

    const short = textField('title', 'é');
    const long = textField('title', 'éé');
    const comparison = (op: string, type: string) =>
      customError('ComparisonFailed(string op, string fieldType)', op, type);
    const payload = encodePayload(uintField('amount', 10n), long);
    const sender = accounts.submitter.address;
    const refusalText = 'InputRefused(address agreement, bytes32 inputId, bytes payload, address sender)';

    await refuse(true);
    expect(await chain.findRevertData(rawSubmission(stuck, 'unknown', '0x'))).toBe(reason('Unknown inputId'));
    expect(await chain.findRevertData(rawSubmission(stuck, 'act', '0x'))).toBe(withoutData);
    expect(await chain.findRevertData(submission(stuck, 'act', [uintField('amount', 11n)]))).toBe(
      reason('Required field missing'),
    );
    expect(await chain.findRevertData(submission(stuck, 'act', [uintField('amount', 11n), short]))).toBe(
      comparison('STRING_MIN_LENGTH', 'STRING'),
    );
    expect(await chain.findRevertData(submission(stuck, 'act', [uintField('amount', 11n), long]))).toBe(
      comparison('ADDRESS_EQ_CONST', 'UINT256'),
    );
    expect(await chain.findRevertData(rawSubmission(stuck, 'act', payload))).toBe(
      customError(refusalText, stuck, id('act'), payload, sender),
    );
    await refuse(false);
    expect(await chain.findRevertData(rawSubmission(stuck, 'act', payload))).toBe(
      reason('No valid transition'),
    );
    expect(await chain.findRevertData(rawSubmission(moving, 'act', payload))).toBe(
      customError(
        'ActionCallFailed(address target, bytes revertData)',
        token,
        customError('Panic(uint256 code)', 0x12n),
      ),
    );
  });

  it('is refused by its sender in the place that the condition has among the others', async () => {
    const field = declare('amount', 'UINT256');
    const [amount, sender] = [condition('UINT_EQ_CONST', 'amount', encodeUint(1n)), senderIs('unset')];
    const create = (conditions: (typeof amount)[]) =>
      createAgreement(chain, { inputDefs: [inputDef('act', { fields: [field], conditions })] });
    const submitted = (agreement: Address) =>
      chain.findRevertData(submission(agreement, 'act', [uintField('amount', 2n)]));
    expect(await submitted(await create([sender, amount]))).toBe(
      customError('VarNotSet(bytes32 fieldId)', id('unset')),
    );
    expect(await submitted(await create([amount, sender]))).toBe(
      customError('ComparisonFailed(string op, string fieldType)', 'UINT_GT_CONST', 'UINT256'),
    );
  });
});

describe('the engine that agreements delegate to', () => {
  it('accepts no input: it is no agreement', async () => {
    const notInitialized = customError('NotInitialized()');
    expect(await chain.findRevertData(submission(implementation, 'act'))).toBe(notInitialized);
    const expired = permittedSubmission(implementation, id('act'), '0x', 0n, unrecoverable);
    expect(await chain.findRevertData(expired)).toBe(notInitialized);
  });
});

import { type Address, encodeFunctionData } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { testVerifierAbi } from '../../contracts-test/abis/TestVerifier.ts';
import { deployTestVerifier } from '../../contracts-test/deploy.ts';
import { createAgreement, inputDef, rawSubmission } from './support/agreement.ts';
import { accounts, startTestChain, type TestChain } from './support/chain.ts';
import { encodePayload, id, textField } from './support/language.ts';
import { permittedSubmission, signInput } from './support/permits.ts';
import { customError, withoutData } from './support/reverts.ts';

const submitter = accounts.submitter.address;
const payload = encodePayload(textField('note', 'é'));
const refusalText = 'InputRefused(address agreement, bytes32 inputId, bytes payload, address sender)';

let chain: TestChain;
let accepting: Address;
let refusing: Address;
beforeAll(async () => {
  chain = await startTestChain();
  accepting = await deployTestVerifier({ rpcUrl: chain.rpcUrl });
  refusing = await deployTestVerifier({ rpcUrl: chain.rpcUrl });
  const data = encodeFunctionData({ abi: testVerifierAbi, functionName: 'setRefusing', args: [true] });
  await chain.send({ from: submitter, to: refusing, data });
});
afterAll(() => chain.stop());

/** An agreement whose input calls these verifiers in this order. */
function createVerified(...asked: Address[]) {
  const verifiers = asked.map((verifier, index) => ({ key: id(`verifier ${index}`), verifier }));
  const verifierKeys = verifiers.map(({ key }) => key);
  return createAgreement(chain, { inputDefs: [inputDef('act', { verifierKeys })], verifiers });
}

describe('a verifier', () => {
  it('that does not revert lets the input pass', async () => {
    const agreement = await createVerified(accepting, accepting);
    expect(await chain.findRevertData(rawSubmission(agreement, 'act', payload))).toBeNull();
  });

  it('refuses by reverting, and the submitter sees its revert data', async () => {
    const agreement = await createVerified(refusing);
    const refusal = customError(refusalText, agreement, id('act'), payload, submitter);
    expect(await chain.findRevertData(rawSubmission(agreement, 'act', payload, submitter))).toBe(refusal);
  });

  it('is shown the submitter and not the signer of a permit', async () => {
    const agreement = await createVerified(refusing);
    const deadline = (await chain.now()) + 600n;
    const signature = await signInput(agreement, id('act'), payload, { deadline });
    const call = permittedSubmission(agreement, id('act'), payload, deadline, signature);
    const refusal = customError(refusalText, agreement, id('act'), payload, submitter);
    expect(await chain.findRevertData(call)).toBe(refusal);
  });

  it('is asked after those whose keys come before its own', async () => {
    const withoutCode = accounts.stranger.address;
    const refusedFirst = await createVerified(accepting, refusing, withoutCode);
    const refusal = customError(refusalText, refusedFirst, id('act'), payload, submitter);
    expect(await chain.findRevertData(rawSubmission(refusedFirst, 'act', payload))).toBe(refusal);
    const failsFirst = await createVerified(accepting, withoutCode, refusing);
    expect(await chain.findRevertData(rawSubmission(failsFirst, 'act', payload))).toBe(withoutData);
  });

  it('without code lets nothing pass', async () => {
    const agreement = await createVerified(accounts.stranger.address);
    expect(await chain.findRevertData(rawSubmission(agreement, 'act', payload))).toBe(withoutData);
  });

  it('is found in the registry by its key, and only by that', async () => {
    const agreement = await createVerified(accepting);
    const find = (key: string) =>
      chain.client.readContract({
        address: agreement,
        abi: agreementEngineAbi,
        functionName: 'verifierRegistry',
        args: [id(key)],
      });
    expect((await find('verifier 0')).toLowerCase()).toBe(accepting.toLowerCase());
    expect(BigInt(await find('verifier 1'))).toBe(0n);
  });

  it('that no input names is never asked', async () => {
    const verifiers = [{ key: id('unused'), verifier: refusing }];
    const agreement = await createAgreement(chain, { verifiers });
    expect(await chain.findRevertData(rawSubmission(agreement, 'act', payload))).toBeNull();
  });
});

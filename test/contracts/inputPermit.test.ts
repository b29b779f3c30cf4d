import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { createAgreement, createWithInput, inputDef, submission, transition } from './support/agreement.ts';
import { accounts, startTestChain, type TestChain } from './support/chain.ts';
import { readEvents } from './support/events.ts';
import { addressField, encodePayload, id, senderIs, textField } from './support/language.ts';
import {
  type PermitTerms,
  permittedSubmission,
  signInput,
  toHighS,
  unrecoverable,
} from './support/permits.ts';
import { customError, reason } from './support/reverts.ts';

const invalidSignature = customError('InvalidSignature()');
const signer = accounts.signer.address;
const payload = encodePayload(textField('note', 'é'));

let chain: TestChain;
let deadline: bigint;
let agreement: Address;
beforeAll(async () => {
  chain = await startTestChain();
  deadline = (await chain.now()) + 600n;
  agreement = await createAgreement(chain, {
    inputDefs: [inputDef('act'), inputDef('other')],
    transitions: [transition('open', 'act', 'open'), transition('open', 'other', 'open')],
  });
});
afterAll(() => chain.stop());

describe('an input permit', () => {
  it('submits for its signer, whoever sends it, and consumes one nonce', async () => {
    const nonce = await readNonce();
    const { logs } = await chain.send(await permit({ nonce }));
    expect(readEvents(logs)).toEqual([
      ['InputAccepted', { fromState: id('open'), toState: id('open'), inputId: id('act'), payload }],
      ['InputSubmittedWithPermit', { signer, submitter: accounts.submitter.address, inputId: id('act') }],
    ]);
    expect(await readNonce()).toBe(nonce + 1n);
  });

  it('has its conditions judged by the signer and not by the submitter', async () => {
    const parts = { conditions: [senderIs('party')] };
    const forSigner = await createWithInput(chain, parts, [addressField('party', signer)]);
    expect(await chain.findRevertData(await permit({ nonce: 0n }, forSigner))).toBeNull();

    const submitter = accounts.submitter.address;
    const forSubmitter = await createWithInput(chain, parts, [addressField('party', submitter)]);
    expect(await chain.findRevertData(await permit({ nonce: 0n }, forSubmitter))).toBe(
      customError('SenderAddressMismatch(address sender, address expected)', signer, submitter),
    );
  });

  it('is refused when it is submitted again', async () => {
    const nonce = await readNonce();
    await chain.send(await permit({ nonce }));
    expect(await chain.findRevertData(await permit({ nonce }))).toBe(invalidSignature);
  });

  it('is refused with any nonce but the next', async () => {
    expect(await chain.findRevertData(await permit({ nonce: (await readNonce()) + 1n }))).toBe(
      invalidSignature,
    );
  });

  it('counts by itself in each agreement', async () => {
    await chain.send(await permit({ nonce: await readNonce() }));
    const another = await createAgreement(chain);
    expect(await chain.findRevertData(await permit({ nonce: 0n }, another))).toBeNull();
  });

  it('is valid in the second of its deadline and not after, whatever its signature', async () => {
    const nonce = await readNonce();
    const now = await chain.now();
    const expired = customError('PermitExpired(uint256 deadline)', now - 1n);
    expect(await chain.findRevertData(await permit({ nonce, deadline: now }), now)).toBeNull();
    expect(await chain.findRevertData(await permit({ nonce, deadline: now - 1n }), now)).toBe(expired);
    const unsigned = permittedSubmission(agreement, id('act'), payload, now - 1n, unrecoverable);
    expect(await chain.findRevertData(unsigned, now)).toBe(expired);
  });

  it('is refused when another signed it, or nobody did', async () => {
    const nonce = await readNonce();
    expect(await chain.findRevertData(await permit({ nonce, signer: accounts.stranger }))).toBe(
      invalidSignature,
    );
    const unsigned = permittedSubmission(agreement, id('act'), payload, deadline, unrecoverable);
    expect(await chain.findRevertData(unsigned)).toBe(customError('ECDSAInvalidSignature()'));
  });

  it('is refused with the high-s form of a valid signature', async () => {
    const highS = toHighS(
      await signInput(agreement, id('act'), payload, { nonce: await readNonce(), deadline }),
    );
    const call = permittedSubmission(agreement, id('act'), payload, deadline, highS);
    expect(await chain.findRevertData(call)).toBe(customError('ECDSAInvalidSignatureS(bytes32 s)', highS.s));
  });

  it('is refused when it was signed for another chain or another agreement', async () => {
    const nonce = await readNonce();
    expect(await chain.findRevertData(await permit({ nonce, chainId: 1 }))).toBe(invalidSignature);
    const another = await createAgreement(chain);
    const signature = await signInput(another, id('act'), payload, { nonce, deadline });
    const call = permittedSubmission(agreement, id('act'), payload, deadline, signature);
    expect(await chain.findRevertData(call)).toBe(invalidSignature);
  });

  it('covers the input, the payload and the deadline', async () => {
    const signature = await signInput(agreement, id('act'), payload, { nonce: await readNonce(), deadline });
    const changed = [
      permittedSubmission(agreement, id('other'), payload, deadline, signature),
      permittedSubmission(agreement, id('act'), encodePayload(textField('note', 'e')), deadline, signature),
      permittedSubmission(agreement, id('act'), payload, deadline + 1n, signature),
    ];
    for (const call of changed) expect(await chain.findRevertData(call)).toBe(invalidSignature);
  });

  it('is looked at before the input, and is not consumed by an input that is refused', async () => {
    const nonce = await readNonce();
    const unknown = id('unknown');
    const forged = permittedSubmission(agreement, unknown, payload, deadline, unrecoverable);
    expect(await chain.findRevertData(forged)).toBe(customError('ECDSAInvalidSignature()'));

    const signature = await signInput(agreement, unknown, payload, { nonce, deadline });
    const call = permittedSubmission(agreement, unknown, payload, deadline, signature);
    expect(await chain.findRevertData(call)).toBe(reason('Unknown inputId'));
    await expect(chain.send({ ...call, gas: 1_000_000n })).rejects.toThrow('reverted');
    expect(await readNonce()).toBe(nonce);
  });

  it('does not touch the nonce of a signer who submits directly', async () => {
    const nonce = await readNonce();
    await chain.send(submission(agreement, 'act', [], signer));
    expect(await readNonce()).toBe(nonce);
  });
});

const readNonce = () =>
  chain.client.readContract({
    address: agreement,
    abi: agreementEngineAbi,
    functionName: 'nonces',
    args: [signer],
  });

async function permit(terms: Partial<PermitTerms>, target = agreement) {
  const allTerms = { deadline, ...terms };
  const signature = await signInput(target, id('act'), payload, allTerms);
  return permittedSubmission(target, id('act'), payload, allTerms.deadline, signature);
}

import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../abis/AgreementFactory.ts';
import { buildContent, type Content, inputDef, transition } from './support/agreement.ts';
import { accounts, factory, startTestChain, type TestChain } from './support/chain.ts';
import { readDeployment, readEvents } from './support/events.ts';
import { addressField, condition, declare, encodeUint, id, senderIs, textField } from './support/language.ts';
import {
  type PermitTerms,
  permittedCreation,
  signCreation,
  toHighS,
  unrecoverable,
} from './support/permits.ts';
import { customError, reason } from './support/reverts.ts';

const invalidSignature = customError('InvalidSignature()');
const signer = accounts.signer.address;

/** Every array has an item, so that each of the five hashes matters. */
const content = buildContent({
  docUri: 'ipfs://agreement/é✓',
  inputDefs: [
    inputDef('act', {
      fields: [declare('title', 'STRING'), declare('party', 'ADDRESS', { required: false, persist: true })],
      conditions: [condition('STRING_MIN_LENGTH', 'title', encodeUint(1n)), senderIs('party')],
      verifierKeys: [id('verifier')],
    }),
    inputDef('close'),
  ],
  transitions: [transition('open', 'act', 'open'), transition('open', 'close', 'closed')],
  initVars: [addressField('party', signer), textField('title', 'é')],
  verifiers: [{ key: id('verifier'), verifier: accounts.stranger.address }],
  actions: [
    {
      fromState: id('open'),
      inputId: id('close'),
      target: accounts.stranger.address,
      value: 0n,
      data: '0x1234',
    },
  ],
});

/** One change to each part of the content. */
const changes: Record<string, Partial<Content>> = {
  docUri: { docUri: 'ipfs://agreement/e✓' },
  docHash: { docHash: id('another document') },
  initialState: { initialState: id('closed') },
  inputDefs: { inputDefs: content.inputDefs.toReversed() },
  transitions: { transitions: content.transitions.toReversed() },
  initVars: { initVars: content.initVars.toReversed() },
  verifiers: { verifiers: [{ key: id('verifier'), verifier: accounts.owner.address }] },
  actions: { actions: content.actions.map((action) => ({ ...action, value: 1n })) },
};

let chain: TestChain;
let deadline: bigint;
beforeAll(async () => {
  chain = await startTestChain();
  deadline = (await chain.now()) + 600n;
});
afterAll(() => chain.stop());

describe('a creation permit', () => {
  it('makes its signer the owner, whoever submits it, and consumes one nonce', async () => {
    const nonce = await readNonce();
    const { logs } = await chain.send(await permit(content, { nonce }));
    const { agreement } = readDeployment(logs);

    expect(readEvents(logs)).toEqual([
      ['AgreementDeployed', { agreement, owner: signer, docUri: content.docUri, docHash: content.docHash }],
      ['AgreementCreatedWithPermit', { agreement, signer, submitter: accounts.submitter.address }],
      ['VerifierRegistered', content.verifiers[0]],
      ['ActionRegistered', content.actions[0]],
      [
        'AgreementInitialized',
        {
          owner: signer,
          docUri: content.docUri,
          docHash: content.docHash,
          initialState: content.initialState,
        },
      ],
      ['Initialized', { version: 1n }],
    ]);
    const owner = { address: agreement, abi: agreementEngineAbi, functionName: 'owner' } as const;
    expect(await chain.client.readContract(owner)).toBe(signer);
    expect(await readNonce()).toBe(nonce + 1n);
  });

  it("may be submitted at an address of the submitter's choice: the salt is not signed", async () => {
    const nonce = await readNonce();
    const salt = id('any salt');
    const { logs } = await chain.send(await permit(content, { nonce, salt }));

    const args = [salt] as const;
    const predicted = {
      address: factory,
      abi: agreementFactoryAbi,
      functionName: 'predictAddress',
      args,
    } as const;
    expect(readDeployment(logs)).toMatchObject({
      agreement: await chain.client.readContract(predicted),
      owner: signer,
    });
    expect(readEvents(logs).map(([name]) => name)).toContain('AgreementCreatedWithPermit');
    expect(await readNonce()).toBe(nonce + 1n);
  });

  it('is refused when it is submitted again, at either kind of address', async () => {
    const nonce = await readNonce();
    await chain.send(await permit(content, { nonce }));
    expect(await chain.findRevertData(await permit(content, { nonce }))).toBe(invalidSignature);
    expect(await chain.findRevertData(await permit(content, { nonce, salt: id('again') }))).toBe(
      invalidSignature,
    );
  });

  it('is refused with any nonce but the next', async () => {
    const nonce = (await readNonce()) + 1n;
    expect(await chain.findRevertData(await permit(content, { nonce }))).toBe(invalidSignature);
  });

  it('is valid in the second of its deadline and not after, whatever its signature', async () => {
    const nonce = await readNonce();
    const now = await chain.now();
    const expired = customError('PermitExpired(uint256 deadline)', now - 1n);
    expect(await chain.findRevertData(await permit(content, { nonce, deadline: now }), now)).toBeNull();
    expect(await chain.findRevertData(await permit(content, { nonce, deadline: now - 1n }), now)).toBe(
      expired,
    );
    const call = permittedCreation(content, now - 1n, unrecoverable);
    expect(await chain.findRevertData(call, now)).toBe(expired);
  });

  it('is refused when another signed it', async () => {
    const nonce = await readNonce();
    const call = await permit(content, { nonce, signer: accounts.stranger });
    expect(await chain.findRevertData(call)).toBe(invalidSignature);
  });

  it('is refused when its signature recovers to nobody', async () => {
    const call = permittedCreation(content, deadline, unrecoverable);
    expect(await chain.findRevertData(call)).toBe(customError('ECDSAInvalidSignature()'));
  });

  it('is refused with the high-s form of a valid signature', async () => {
    const terms = { nonce: await readNonce(), deadline };
    const highS = toHighS(await signCreation(content, terms));
    const call = permittedCreation(content, deadline, highS);
    expect(await chain.findRevertData(call)).toBe(customError('ECDSAInvalidSignatureS(bytes32 s)', highS.s));
  });

  it('is refused when it was signed for another chain or another factory', async () => {
    const nonce = await readNonce();
    const elsewhere = [{ chainId: 1 }, { verifyingContract: accounts.stranger.address }];
    for (const terms of elsewhere) {
      expect(await chain.findRevertData(await permit(content, { nonce, ...terms }))).toBe(invalidSignature);
    }
  });

  it.each(Object.keys(changes))('covers %s', async (part) => {
    const terms = { nonce: await readNonce(), deadline };
    const call = permittedCreation(
      { ...content, ...changes[part] },
      deadline,
      await signCreation(content, terms),
    );
    expect(await chain.findRevertData(call)).toBe(invalidSignature);
  });

  it('covers the deadline', async () => {
    const signature = await signCreation(content, { nonce: await readNonce(), deadline });
    expect(await chain.findRevertData(permittedCreation(content, deadline + 1n, signature))).toBe(
      invalidSignature,
    );
  });

  it('is not consumed by a creation that fails', async () => {
    const nonce = await readNonce();
    const refused = { ...content, inputDefs: [inputDef('act'), inputDef('act')] };
    const call = await permit(refused, { nonce });
    expect(await chain.findRevertData(call)).toBe(reason('Duplicate inputId'));
    await expect(chain.send({ ...call, gas: 5_000_000n })).rejects.toThrow('reverted');
    expect(await readNonce()).toBe(nonce);
  });
});

const readNonce = () =>
  chain.client.readContract({
    address: factory,
    abi: agreementFactoryAbi,
    functionName: 'nonces',
    args: [signer],
  });

async function permit(signed: Content, { salt, ...terms }: Partial<PermitTerms> & { salt?: Hex }) {
  const allTerms = { deadline, ...terms };
  return permittedCreation(signed, allTerms.deadline, await signCreation(signed, allTerms), salt);
}

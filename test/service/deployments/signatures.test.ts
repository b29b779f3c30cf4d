import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileAgreement, deployTypedData } from '../../../src/protocol/index.ts';
import { schemaStyle } from '../support/documents.ts';
import { outcome } from '../support/outcome.ts';
import { createAccount, splitSignature } from '../support/permits.ts';
import { chainId } from '../support/testChain.ts';
import { type DeploymentScene, startDeploymentScene } from './support/deploymentScene.ts';

let scene: DeploymentScene;
beforeAll(async () => {
  scene = await startDeploymentScene();
});
afterAll(() => scene?.close());

describe('a deployment is refused and nothing is stored', () => {
  test('with a signature over something else, and what was expected is said', async () => {
    const { account, body } = await scene.prepare();
    const refusal = await scene.expectRefused(
      { ...body, docUri: 'https://leases.example/2' },
      400,
      'signature_mismatch',
    );
    expect(refusal.message).toMatchInlineSnapshot(
      `"The signature was not made by the signer for the content of this request."`,
    );
    expect(refusal.details).toMatchObject({
      field: 'signature',
      signer: account.address,
      recoveredAddress: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      digest: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      domain: { name: 'AgreementFactory', version: '1', chainId, verifyingContract: scene.chain.factory },
      primaryType: 'PermitAgreementWithActions',
      message: { docUri: 'https://leases.example/2', nonce: '0', deadline: String(body.deadline) },
    });
  });

  test('with a signature over inputs without fields, and the difference is named', async () => {
    const account = createAccount();
    const values = { voter: account.address };
    const inputs = { vote: { issuer: { type: 'participant', variable: 'voter' } } };
    const agreement = { ...schemaStyle, execution: { ...schemaStyle.execution, inputs } };
    const docUri = 'x:3';
    // The public signing library hashes the whole document, but compiles a document whose inputs have no
    // fields.
    const { docHash } = compileAgreement(schemaStyle, { docUri, values });
    const parameters = { ...compileAgreement(agreement, { docUri, values }), docHash };
    const deadline = Math.floor(Date.now() / 1000) + 60;
    const typedData = deployTypedData({
      chainId,
      factory: scene.chain.factory,
      parameters,
      nonce: 0n,
      deadline: BigInt(deadline),
    });
    const signature = splitSignature(await account.signTypedData(typedData));
    const body = { agreement: schemaStyle, displayName: 'Poll', chainId, initValues: values, docUri };
    const refusal = await scene.expectRefused(
      { ...body, signer: account.address, deadline, signature },
      400,
      'signature_mismatch',
    );
    expect(refusal.message).toMatchSnapshot();
  });

  test('for a signer that is a contract, and that is said', async () => {
    const { body } = await scene.prepare();
    const refusal = await scene.expectRefused(
      { ...body, signer: scene.chain.token },
      400,
      'signature_mismatch',
    );
    expect(refusal.message).toMatchSnapshot();
  });

  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;

  test('with a signature in a form that contracts do not take', async () => {
    const { body } = await scene.prepare();
    const { v, r, s } = body.signature;
    const high = { v: v === 27 ? 28 : 27, r, s: word(order - BigInt(s)) };
    for (const signature of [high, { v, r: word(0n), s }, { v, r: word(order), s }, { v, r, s: word(0n) }])
      expect(
        (await scene.expectRefused({ ...body, signature }, 400, 'signature_mismatch')).message,
      ).toMatchSnapshot();
    // No point on the curve has this x coordinate.
    await scene.expectRefused({ ...body, signature: { v, r: word(5n), s } }, 400, 'signature_mismatch');
  });

  test.each([
    ['v of 0', { v: 0 }],
    ['v as text', { v: '27' }],
    ['a short r', { r: '0x12' }],
    ['a yParity', { yParity: 1 }],
  ])('with %s', async (_, part) => {
    const { body } = await scene.prepare();
    const answer = await scene.deploy({ ...body, signature: { ...body.signature, ...part } });
    expect(outcome(answer)).toMatchSnapshot();
    expect(answer.status).toBe(400);
  });
});

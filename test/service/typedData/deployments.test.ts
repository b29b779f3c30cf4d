import { isHex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { recordShape } from '../../../src/api/shapes/resources.ts';
import { signableDeploymentShape } from '../../../src/api/shapes/signableShape.ts';
import { schemaStyle } from '../support/documents.ts';
import { outcome } from '../support/outcome.ts';
import { createAccount, inAnHour, splitSignature } from '../support/permits.ts';
import { signAnswer } from '../support/signable.ts';
import { chainId } from '../support/testChain.ts';
import { publicBaseUrl, startTypedDataScene, type TypedDataScene } from './support/typedDataScene.ts';

let scene: TypedDataScene;
beforeAll(async () => {
  scene = await startTypedDataScene();
});
afterAll(() => scene?.close());

describe('the typed data of a deployment', () => {
  test('signed as they come make a permit that the service and the factory take', async () => {
    const prepared = scene.deployment();
    const answer = await scene.prepareDeploy(prepared.body);
    expect(answer.status).toBe(200);
    const data = signableDeploymentShape.strict().parse(answer.body.data);
    expect(data).toMatchObject({
      primaryType: 'PermitAgreementWithActions',
      domain: { name: 'AgreementFactory', version: '1', chainId, verifyingContract: scene.chain.factory },
      message: { nonce: '0', deadline: String(data.deadline), docUri: data.docUri },
      nonce: '0',
      verdict: { ok: true },
    });
    expect(Object.keys(data.types)).toEqual(['EIP712Domain', 'PermitAgreementWithActions']);

    const deployed = await scene.submitDeploy(prepared, answer);
    expect(deployed.status).toBe(200);
    const { id, docUri, documentId } = recordShape.parse(deployed.body.data);
    expect({ docUri, documentId }).toEqual({ docUri: data.docUri, documentId: data.documentId });
    const address = await scene.worker.fold(id);
    const onChain = await scene.chain.client.readContract({
      address,
      abi: agreementEngineAbi,
      functionName: 'docUri',
    });
    expect(onChain).toBe(data.docUri);
  });

  test("are digested by a node's own wallet to the same signature", async () => {
    const { body } = scene.deployment();
    const [, unlocked = '0x'] = await scene.chain.client.getAddresses();
    const answer = await scene.prepareDeploy({ ...body, signer: unlocked });
    const { domain, types, primaryType, message, docUri, documentId, deadline } =
      signableDeploymentShape.parse(answer.body.data);
    const signed = await scene.chain.client.request<{
      Method: 'eth_signTypedData_v4';
      Parameters: [string, unknown];
      ReturnType: unknown;
    }>({
      method: 'eth_signTypedData_v4',
      params: [unlocked, { domain, types, primaryType, message }],
    });
    if (!isHex(signed)) throw new Error('the node signs in another form');
    const deployed = await scene.post('deploy-with-permit', {
      ...body,
      displayName: 'Lease',
      signer: unlocked,
      deadline,
      docUri,
      documentId,
      signature: splitSignature(signed),
    });
    expect(deployed.status).toBe(200);
  });

  test('name a new document of this service if the caller names none', async () => {
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    const answers = await Promise.all([1, 2].map(() => scene.prepareDeploy(scene.deployment().body)));
    const [first, second] = answers.map(({ body }) => signableDeploymentShape.parse(body.data));
    expect(first?.documentId).toMatch(uuid);
    expect(first?.docUri).toBe(`${publicBaseUrl}/v0/agreements/documents/${first?.documentId}`);
    expect(second?.documentId).not.toBe(first?.documentId);
  });

  test('name the document of the id that the caller names, or the URI alone', async () => {
    const { body } = scene.deployment();
    const answerTo = async (choice: { documentId?: string; docUri?: string }) => {
      const { data } = (await scene.prepareDeploy({ ...body, ...choice })).body;
      const { documentId, docUri, message } = signableDeploymentShape.parse(data);
      expect(message.docUri).toBe(docUri);
      return { documentId, docUri };
    };
    expect(await answerTo({ documentId: 'Lease 7 (ä%)' })).toEqual({
      documentId: 'Lease 7 (ä%)',
      docUri: `${publicBaseUrl}/v0/agreements/documents/Lease%207%20(%C3%A4%25)`,
    });
    expect(await answerTo({ docUri: 'ipfs://x' })).toMatchObject({ docUri: 'ipfs://x' });
    const both = { docUri: 'ipfs://y', documentId: 'y' };
    expect(await answerTo(both)).toEqual(both);
  });

  test('are refused for an id that makes a URI which no deployment could carry', async () => {
    const { status, body } = await scene.prepareDeploy({
      ...scene.deployment().body,
      documentId: 'ä'.repeat(256).normalize(),
    });
    expect(status).toBe(200);
    expect(body.error).toBeUndefined();
    const long = await scene.prepareDeploy({ ...scene.deployment().body, documentId: '鷹'.repeat(256) });
    expect(outcome(long)).toMatchObject({ status: 400, details: { field: 'documentId' } });
  });

  test('cover fields in schema objects, which the public signing library leaves out', async () => {
    const account = createAccount();
    const participants = [{ variableKey: 'voter', walletAddress: account.address }];
    const body = { agreement: schemaStyle, chainId, participants, signer: account.address };
    const answer = await scene.prepareDeploy(body);
    const { docUri } = signableDeploymentShape.parse(answer.body.data);
    const permit = await signAnswer(account, answer);
    const deployed = await scene.post('deploy-with-permit', {
      ...body,
      displayName: 'Poll',
      docUri,
      ...permit,
    });
    const { id } = recordShape.parse(deployed.body.data);
    await scene.worker.fold(id);
    const input = { inputId: 'vote', values: { choice: 'yes' }, signer: account.address };
    const vote = await scene.prepareInput(id, input);
    const sent = await scene.post(`${id}/input`, { ...input, ...(await signAnswer(account, vote)) });
    expect(sent.status).toBe(200);
  });

  test('carry the next nonce once the last deployment is mined', async () => {
    const prepared = scene.deployment();
    const first = await scene.submitDeploy(prepared, await scene.prepareDeploy(prepared.body));
    await scene.worker.fold(recordShape.parse(first.body.data).id);
    const answer = await scene.prepareDeploy(prepared.body);
    expect(answer.body.data).toMatchObject({ nonce: '1', message: { nonce: '1' } });
  });
});

test('a deadline that the caller does not name is an hour ahead of the chain, even where its clock is ahead', async () => {
  const deadlineOf = async () =>
    z.looseObject({ deadline: z.int() }).parse((await scene.prepareDeploy(scene.deployment().body)).body.data)
      .deadline;
  const before = inAnHour();
  const first = await deadlineOf();
  expect(first).toBeGreaterThanOrEqual(before);
  expect(first).toBeLessThanOrEqual(inAnHour() + 5);

  await scene.chain.client.increaseTime({ seconds: 86_400 });
  await scene.chain.client.mine({ blocks: 1 });
  const { timestamp } = await scene.chain.client.getBlock();
  expect(await deadlineOf()).toBe(Number(timestamp) + 3_600);
});

import { encodeFunctionData, isHex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { testTokenAbi } from '../../contracts-test/abis/TestToken.ts';
import { awaitReceipt } from '../../contracts-test/awaitReceipt.ts';
import { inputRecordShape, recordShape } from '../../src/api/http/resources.ts';
import { signableDeploymentShape, signableShape } from '../../src/api/http/signableShape.ts';
import type { Answer } from './support/call.ts';
import { buildLease, schemaStyle } from './support/documents.ts';
import { deployLease, type Lease } from './support/leases.ts';
import { outcome } from './support/outcome.ts';
import { createAccount, inAnHour, splitSignature } from './support/permits.ts';
import { signAnswer } from './support/signable.ts';
import { type StandInWorker, startStandInWorker } from './support/standInWorker.ts';
import { chainId, offerWallet, startTestChain, type TestChain } from './support/testChain.ts';
import { startTestService, type TestPrincipal, type TestService } from './support/testService.ts';

const publicBaseUrl = 'https://agreements.example/base';
let chain: TestChain;
let service: TestService;
let worker: StandInWorker;
let principal: TestPrincipal;
beforeAll(async () => {
  chain = await startTestChain();
  service = await startTestService({
    rpcUrls: { [chainId]: chain.rpcUrl },
    env: { DEPLOY_WAIT_MS: '1', SIGNING_WAIT_MS: '120000', PUBLIC_BASE_URL: publicBaseUrl },
  });
  principal = await service.createPrincipal();
  await offerWallet(service, chain);
  worker = await startStandInWorker(service, chain);
});
afterAll(async () => {
  await worker.stop();
  await service.close();
  await chain.stop();
});

const post = (path: string, body: unknown, { call } = principal) =>
  call('POST', `/v0/agreements/${path}`, { body });
const prepareDeploy = (body: unknown, as = principal) => post('deploy-typed-data', body, as);
const prepareInput = (id: string, body: unknown, as = principal) => post(`${id}/input-typed-data`, body, as);

function deployment(account = createAccount()) {
  const initValues = { landlord: account.address, tenant: chain.relayer, rent: '5' };
  const agreement = buildLease(chain.token);
  return { account, body: { agreement, chainId, initValues, signer: account.address } };
}
/** What goes from the answer, and from the request before it, into the deployment. */
async function submitDeploy(prepared: ReturnType<typeof deployment>, answer: Answer) {
  const { docUri, documentId } = signableDeploymentShape.parse(answer.body.data);
  const permit = await signAnswer(prepared.account, answer);
  return post('deploy-with-permit', {
    ...prepared.body,
    displayName: 'Lease',
    ...permit,
    docUri,
    documentId,
  });
}
const verdictOf = ({ body }: Answer) => signableShape.parse(body.data).verdict;

async function expectRefused(ask: () => Promise<Answer>, status: number, reason: string) {
  const before = await service.countRows();
  expect(outcome(await ask())).toMatchObject({ status, details: { reason } });
  expect(await service.countRows()).toEqual(before);
}

describe('the typed data of a deployment', () => {
  test('signed as they come make a permit that the service and the factory take', async () => {
    const prepared = deployment();
    const answer = await prepareDeploy(prepared.body);
    expect(answer.status).toBe(200);
    const data = signableDeploymentShape.strict().parse(answer.body.data);
    expect(data).toMatchObject({
      primaryType: 'PermitAgreementWithActions',
      domain: { name: 'AgreementFactory', version: '1', chainId, verifyingContract: chain.factory },
      message: { nonce: '0', deadline: String(data.deadline), docUri: data.docUri },
      nonce: '0',
      verdict: { ok: true },
    });
    expect(Object.keys(data.types)).toEqual(['EIP712Domain', 'PermitAgreementWithActions']);

    const deployed = await submitDeploy(prepared, answer);
    expect(deployed.status).toBe(200);
    const { id, docUri, documentId } = recordShape.parse(deployed.body.data);
    expect({ docUri, documentId }).toEqual({ docUri: data.docUri, documentId: data.documentId });
    const address = await worker.fold(id);
    const onChain = await chain.client.readContract({
      address,
      abi: agreementEngineAbi,
      functionName: 'docUri',
    });
    expect(onChain).toBe(data.docUri);
  });

  test("are digested by a node's own wallet to the same signature", async () => {
    const { body } = deployment();
    const [, unlocked = '0x'] = await chain.client.getAddresses();
    const answer = await prepareDeploy({ ...body, signer: unlocked });
    const { domain, types, primaryType, message, docUri, documentId, deadline } =
      signableDeploymentShape.parse(answer.body.data);
    const signed = await chain.client.request<{
      Method: 'eth_signTypedData_v4';
      Parameters: [string, unknown];
      ReturnType: unknown;
    }>({
      method: 'eth_signTypedData_v4',
      params: [unlocked, { domain, types, primaryType, message }],
    });
    if (!isHex(signed)) throw new Error('the node signs in another form');
    const deployed = await post('deploy-with-permit', {
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

  test('name a new document of this service where the caller names none', async () => {
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    const answers = await Promise.all([1, 2].map(() => prepareDeploy(deployment().body)));
    const [first, second] = answers.map(({ body }) => signableDeploymentShape.parse(body.data));
    expect(first?.documentId).toMatch(uuid);
    expect(first?.docUri).toBe(`${publicBaseUrl}/v0/agreements/documents/${first?.documentId}`);
    expect(second?.documentId).not.toBe(first?.documentId);
  });

  test('name the document of the id that the caller names, or the URI alone', async () => {
    const { body } = deployment();
    const answerTo = async (choice: { documentId?: string; docUri?: string }) => {
      const { data } = (await prepareDeploy({ ...body, ...choice })).body;
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
    const { status, body } = await prepareDeploy({
      ...deployment().body,
      documentId: 'ä'.repeat(256).normalize(),
    });
    expect(status).toBe(200);
    expect(body.error).toBeUndefined();
    const long = await prepareDeploy({ ...deployment().body, documentId: '鷹'.repeat(256) });
    expect(outcome(long)).toMatchObject({ status: 400, details: { field: 'documentId' } });
  });

  test('cover fields that stand in schema objects, which the public signing library leaves out', async () => {
    const account = createAccount();
    const participants = [{ variableKey: 'voter', walletAddress: account.address }];
    const body = { agreement: schemaStyle, chainId, participants, signer: account.address };
    const answer = await prepareDeploy(body);
    const { docUri } = signableDeploymentShape.parse(answer.body.data);
    const permit = await signAnswer(account, answer);
    const deployed = await post('deploy-with-permit', { ...body, displayName: 'Poll', docUri, ...permit });
    const { id } = recordShape.parse(deployed.body.data);
    await worker.fold(id);
    const input = { inputId: 'vote', values: { choice: 'yes' }, signer: account.address };
    const vote = await prepareInput(id, input);
    const sent = await post(`${id}/input`, { ...input, ...(await signAnswer(account, vote)) });
    expect(sent.status).toBe(200);
  });

  test('carry the next nonce once the last deployment is mined', async () => {
    const prepared = deployment();
    const first = await submitDeploy(prepared, await prepareDeploy(prepared.body));
    await worker.fold(recordShape.parse(first.body.data).id);
    const answer = await prepareDeploy(prepared.body);
    expect(answer.body.data).toMatchObject({ nonce: '1', message: { nonce: '1' } });
  });
});

describe('typed data of a deployment are refused, and nothing is stored, for', () => {
  const change = (changed: Record<string, unknown>) => () =>
    prepareDeploy({ ...deployment().body, ...changed });
  const agreementWithout = (part: 'variables' | 'execution') => () => {
    const { body } = deployment();
    return prepareDeploy({ ...body, agreement: { ...body.agreement, [part]: {} } });
  };

  test.each([
    ['a chain that is not followed', change({ chainId: 1 }), 'unsupported_chain'],
    ['a document that is not valid', agreementWithout('execution'), 'invalid_agreement'],
    ['values that do not fit', change({ initValues: { rent: '0' } }), 'invalid_values'],
    [
      'participants that do not fit',
      change({ participants: [{ variableKey: 'rent', walletAddress: `0x${'1'.repeat(40)}` }] }),
      'invalid_participants',
    ],
    ['a deadline that has passed', change({ deadline: 1_700_000_000 }), 'permit_expired'],
  ])('%s', (_, ask, reason) => expectRefused(ask, 400, reason));

  test('a document id that a record of the principal has', async () => {
    const prepared = deployment();
    await submitDeploy(prepared, await prepareDeploy({ ...prepared.body, documentId: 'taken' }));
    await expectRefused(change({ documentId: 'taken' }), 409, 'document_id_taken');
    const other = await service.createPrincipal();
    expect((await prepareDeploy({ ...deployment().body, documentId: 'taken' }, other)).status).toBe(200);
  });

  test('a body with members that the route does not know', async () => {
    const answer = await prepareDeploy({ ...deployment().body, signature: {} });
    expect(outcome(answer)).toMatchObject({ status: 400, details: { field: 'signature' } });
  });

  test('a nonce that another permit of the principal holds, of which other principals learn nothing', async () => {
    const prepared = deployment();
    await worker.hold(async () => {
      await submitDeploy(prepared, await prepareDeploy(prepared.body));
      await expectRefused(() => prepareDeploy(prepared.body), 409, 'nonce_in_flight');
      const other = await service.createPrincipal();
      expect((await prepareDeploy(prepared.body, other)).status).toBe(200);
    });
  });
});

describe('the typed data of an input', () => {
  let lease: Lease;
  beforeAll(async () => {
    lease = await deployLease(principal, { chain, worker });
  });
  const accept = () => ({
    inputId: 'accept',
    values: { months: '4', remark: 'gladly', code: 'A' },
    signer: lease.tenant.address,
  });

  test('signed as they come make a permit that the service and the agreement take', async () => {
    const answer = await prepareInput(lease.id, accept());
    const data = signableShape.strict().parse(answer.body.data);
    expect(data).toMatchObject({
      primaryType: 'PermitInput',
      domain: { name: 'AgreementEngine', version: '1', chainId, verifyingContract: lease.address },
      message: { nonce: '0', deadline: String(data.deadline) },
      verdict: { ok: true, message: 'Signed as it stands, the permit would be accepted and sent now.' },
    });
    const { digest } = await lease.sign({ ...accept(), account: lease.tenant, deadline: data.deadline });
    expect(data.digest).toBe(digest);

    const permit = await signAnswer(lease.tenant, answer);
    const sent = await post(`${lease.id}/input`, { ...accept(), ...permit });
    expect(sent.status).toBe(200);
    const { txHash } = inputRecordShape.parse(sent.body.data);
    const receipt = await chain.client.getTransactionReceipt({ hash: `0x${txHash?.slice(2)}` });
    expect(receipt.status).toBe('success');
  });

  test('may be asked for by the address of the contract', async () => {
    const knock = { inputId: 'knock', values: {}, signer: createAccount().address };
    const fresh = await deployLease(principal, { chain, worker });
    expect((await prepareInput(fresh.address, knock)).body.data).toMatchObject({
      domain: { verifyingContract: fresh.address },
    });
  });

  test('come with the word that an action of the agreement would fail, and why, and then that it would not', async () => {
    const { id, tenant, landlord } = await deployAccepted();
    const pay = { inputId: 'pay', values: {}, signer: landlord.address };
    const answer = await prepareInput(id, pay);
    expect(answer.status).toBe(200);
    expect(verdictOf(answer)).toMatchObject({ ok: false, reason: 'action_reverted' });
    expect(verdictOf(answer).message).toMatch(/^The transaction would revert\. ERC20Insufficient/);

    // The permit is what the verdict says it is.
    const permit = await signAnswer(landlord, answer);
    const refused = outcome(await post(`${id}/input`, { ...pay, ...permit }));
    expect(refused).toMatchObject({ status: 409, message: verdictOf(answer).message });

    const { address } = recordShape.parse((await principal.call('GET', `/v0/agreements/${id}`)).body.data);
    if (!isHex(address)) throw new Error('the lease has no address');
    await endow(tenant.address, address);
    expect(verdictOf(await prepareInput(id, pay))).toMatchObject({ ok: true });
  });

  test('come with the word that no wallet could send it', async () => {
    const setStatus = (status: string) =>
      service.handle.pool.query('update service.relayer_wallets set status = $1', [status]);
    const knock = { inputId: 'knock', values: {}, signer: createAccount().address };
    const fresh = await deployLease(principal, { chain, worker });
    await setStatus('unfunded');
    try {
      const answer = await prepareInput(fresh.id, knock);
      expect(answer.status).toBe(200);
      expect(verdictOf(answer)).toMatchObject({ ok: false, reason: 'relayer_unfunded' });
    } finally {
      await setStatus('active');
    }
  });

  /** A lease that waits for the rent. */
  async function deployAccepted(): Promise<Lease> {
    const accepted = await deployLease(principal, { chain, worker });
    const values = { months: '4', remark: 'gladly' };
    const { body } = await accepted.sign({ inputId: 'accept', values, account: accepted.tenant });
    expect((await post(`${accepted.id}/input`, body)).status).toBe(200);
    return accepted;
  }

  /** Gives the tenant what the rent takes, and the agreement the right to take it. */
  async function endow(tenant: `0x${string}`, agreement: `0x${string}`): Promise<void> {
    const { client, token } = chain;
    await chain.send(
      token,
      encodeFunctionData({ abi: testTokenAbi, functionName: 'mint', args: [tenant, 5n] }),
    );
    await client.impersonateAccount({ address: tenant });
    await client.setBalance({ address: tenant, value: 10n ** 18n });
    const data = encodeFunctionData({ abi: testTokenAbi, functionName: 'approve', args: [agreement, 5n] });
    const hash = await client.sendTransaction({ account: tenant, chain: null, to: token, data });
    await awaitReceipt(client, hash);
  }
});

describe('typed data of an input are refused, and nothing is stored, for', () => {
  let lease: Lease;
  beforeAll(async () => {
    lease = await deployLease(principal, { chain, worker });
  });
  const change = (changed: Record<string, unknown>) => () =>
    prepareInput(lease.id, {
      inputId: 'accept',
      values: { months: '4', remark: 'gladly' },
      signer: lease.tenant.address,
      ...changed,
    });

  test.each([
    ['an input that the document has not', { inputId: 'refuse' }, 400, 'unknown_input'],
    ['a state that does not accept it', { inputId: 'pay', values: {} }, 409, 'state_not_accepting'],
    ['an input that no transition names', { inputId: 'idle', values: {} }, 409, 'no_transition'],
    ['values that do not fit', { values: { months: 4.5 } }, 400, 'schema_mismatch'],
    ['a signer that is no issuer', { signer: `0x${'1'.repeat(40)}` }, 400, 'issuer_not_allowed'],
    ['a deadline that has passed', { deadline: 1_700_000_000 }, 400, 'permit_expired'],
  ])('%s', (_, changed, status, reason) => expectRefused(change(changed), status, reason));

  test('an agreement that is not deployed yet', async () => {
    const prepared = deployment();
    await worker.hold(async () => {
      const draft = await submitDeploy(prepared, await prepareDeploy(prepared.body));
      const { id } = recordShape.parse(draft.body.data);
      const knock = { inputId: 'knock', values: {}, signer: prepared.account.address };
      await expectRefused(() => prepareInput(id, knock), 409, 'not_deployed');
    });
  });

  test('a nonce that another permit of the principal holds', async () => {
    await worker
      .hold(async () => {
        const { body } = await lease.sign({ inputId: 'knock', values: {}, account: lease.tenant });
        const submitted = post(`${lease.id}/input`, body);
        await expect
          .poll(async () => outcome(await change({})()).details)
          .toMatchObject({ reason: 'nonce_in_flight' });
        // The same terms are the same permit.
        const knock = { inputId: 'knock', values: {}, deadline: body.deadline };
        expect((await change(knock)()).status).toBe(200);
        return { submitted };
      })
      .then(({ submitted }) => submitted);
  });

  test("another principal's record, an unknown one, and callers without the right to write", async () => {
    const knock = { inputId: 'knock', values: {}, signer: lease.tenant.address };
    const other = await service.createPrincipal();
    expect(outcome(await prepareInput(lease.id, knock, other))).toMatchObject({ status: 403 });
    expect(outcome(await prepareInput(lease.address, knock, other))).toMatchObject({ status: 404 });
    expect(outcome(await prepareInput(`agr_${'0'.repeat(32)}`, knock))).toMatchObject({ status: 404 });
    const reader = await service.createPrincipal(['agreements.read']);
    expect(outcome(await prepareInput(lease.id, knock, reader))).toMatchObject({ status: 403 });
    expect(outcome(await prepareDeploy(deployment().body, reader))).toMatchObject({ status: 403 });
  });
});

test('a deadline that the caller does not name is an hour ahead of the chain, even where its clock is ahead', async () => {
  const deadlineOf = async () =>
    z.looseObject({ deadline: z.int() }).parse((await prepareDeploy(deployment().body)).body.data).deadline;
  const before = inAnHour();
  const first = await deadlineOf();
  expect(first).toBeGreaterThanOrEqual(before);
  expect(first).toBeLessThanOrEqual(inAnHour() + 5);

  await chain.client.increaseTime({ seconds: 86_400 });
  await chain.client.mine({ blocks: 1 });
  const { timestamp } = await chain.client.getBlock();
  expect(await deadlineOf()).toBe(Number(timestamp) + 3_600);
});

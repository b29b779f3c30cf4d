import { type Hex, parseEventLogs } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agreementFactoryAbi } from '../../abis/AgreementFactory.ts';
import { recordShape } from '../../src/api/http/resources.ts';
import { createCall } from './support/call.ts';
import { buildLease, schemaStyle } from './support/documents.ts';
import { outcome } from './support/outcome.ts';
import { createAccount, signDeploy, splitSignature } from './support/permits.ts';
import { chainId, offerWallet, startTestChain, type TestChain } from './support/testChain.ts';
import {
  startTestApi,
  startTestService,
  type TestPrincipal,
  type TestService,
} from './support/testService.ts';

let chain: TestChain;
let service: TestService;
let principal: TestPrincipal;
beforeAll(async () => {
  chain = await startTestChain();
  service = await startTestService({ rpcUrls: { [chainId]: chain.rpcUrl }, env: { DEPLOY_WAIT_MS: '1' } });
  principal = await service.createPrincipal();
  await offerWallet(service, chain);
});
afterAll(async () => {
  await service.close();
  await chain.stop();
});

const path = '/v0/agreements/deploy-with-permit';
const deploy = (body: unknown, { call } = principal) => call('POST', path, { body });

/** A signed deployment by a wallet that is new, unless one is given. */
async function prepare(
  options: {
    account?: PrivateKeyAccount;
    nonce?: bigint;
    deadline?: number;
    docUri?: string;
    remark?: string;
  } = {},
) {
  const { account = createAccount(), remark = 'as seen', ...signing } = options;
  const agreement = buildLease(chain.token);
  const initValues = { landlord: account.address, tenant: chain.relayer, rent: '5', remark };
  const docUri = 'https://leases.example/1';
  const permit = await signDeploy({
    account,
    agreement,
    values: { landlord: account.address, tenant: chain.relayer, rent: '5' },
    chainId,
    factory: chain.factory,
    docUri,
    ...signing,
  });
  return { account, body: { agreement, displayName: 'Lease 1', chainId, initValues, ...permit } };
}

type Transaction = { id: string; call_data: Hex; state: string };
async function findTransaction(signer: string): Promise<Transaction> {
  const { rows } = await service.handle.pool.query<Transaction>(
    'select id, call_data, state from service.transactions where signer = $1',
    [signer],
  );
  const [row] = rows;
  if (!row || rows.length > 1) throw new Error(`there are ${rows.length} transactions of ${signer}`);
  return row;
}

/** Nothing is stored by a request that is refused. */
async function expectRefused(body: unknown, status: number, reason: string) {
  const before = await service.countRows();
  const answer = await deploy(body);
  expect(outcome(answer)).toMatchObject({ status, details: { reason } });
  expect(await service.countRows()).toEqual(before);
  return outcome(answer);
}

describe('an accepted deployment', () => {
  test('is a Draft with its document to the letter, until the index shows the agreement', async () => {
    const { account, body } = await prepare();
    const observers = ['o@lease.example'];
    const participants = [{ variableKey: 'tenant', walletAddress: chain.relayer, email: 't@lease.example' }];
    const answer = await deploy({
      ...body,
      documentId: 'lease/1'.replace('/', '-'),
      observers,
      participants,
    });
    expect(answer.status).toBe(200);
    expect(recordShape.strict().parse(answer.body.data)).toMatchObject({
      chainId,
      displayName: 'Lease 1',
      status: 'Draft',
      json: body.agreement,
      variables: { landlord: account.address, tenant: chain.relayer, rent: '5', remark: 'as seen' },
      owner: account.address,
      documentId: 'lease-1',
      docUri: 'https://leases.example/1',
      observers,
      participants: [...participants, { variableKey: 'landlord', walletAddress: account.address }],
      contributors: [chain.relayer, account.address],
    });
  });

  test('is stored as the very call that the factory takes', async () => {
    const { account, body } = await prepare();
    await deploy(body);
    const hash = await chain.send(chain.factory, (await findTransaction(account.address)).call_data);
    const { logs } = await chain.client.getTransactionReceipt({ hash });
    const [deployed] = parseEventLogs({ abi: agreementFactoryAbi, logs, eventName: 'AgreementDeployed' });
    expect(deployed?.args).toMatchObject({ owner: account.address, docUri: 'https://leases.example/1' });
  });

  test('keeps the order of the keys that were hashed', async () => {
    const { account, body } = await prepare();
    const text = JSON.stringify(body).replace('"metadata":', '"10":1,"b":2,"9":3,"a":1e2,"metadata":');
    const agreement: unknown = JSON.parse(text).agreement;
    const { initValues } = body;
    const values = { landlord: account.address, tenant: chain.relayer, rent: '5' };
    const permit = await signDeploy({ account, agreement, values, chainId, factory: chain.factory });
    const sent = { agreement, displayName: 'x', chainId, initValues, ...permit };
    const response = await fetch(`${service.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': principal.key },
      body: JSON.stringify(sent),
    });
    expect(response.status).toBe(200);
    const answer = await response.text();
    expect(answer).toContain(`"json":${JSON.stringify(agreement)}`);
    expect(answer).toContain('"json":{"9":3,"10":1,"b":2,"a":100,"metadata"');
  });

  test('has a document id of its own where none is given, and the URI that the signer derives', async () => {
    const account = createAccount();
    const { body } = await prepare({ account });
    const { docUri: _, ...rest } = body;
    const values = { landlord: account.address, tenant: chain.relayer, rent: '5' };
    const permit = await signDeploy({
      account,
      agreement: body.agreement,
      values,
      chainId,
      factory: chain.factory,
    });
    const { data } = (await deploy({ ...rest, ...permit })).body;
    expect(data).toMatchObject({
      docUri: 'ipfs://agreement/did:example:lease',
      documentId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test('answers as soon as it is deployed', async () => {
    const patient = await startTestApi(service.databaseUrl, {
      rpcUrls: { [chainId]: chain.rpcUrl },
      env: { DEPLOY_WAIT_MS: '600000' },
    });
    const { account, body } = await prepare();
    const pending = createCall(patient.baseUrl, principal.key)('POST', path, { body });
    await expect.poll(() => findTransaction(account.address).catch(() => undefined)).toBeDefined();
    const { id } = await findTransaction(account.address);
    await service.handle.pool.query(
      `with changed as (update service.records set status = 'Deployed', state = 'OFFERED', address = $2,
         state_block_number = 1 where deploy_transaction_id = $1 returning id)
       select pg_notify('record_changed', id) from changed`,
      [id, createAccount().address],
    );
    expect((await pending).body.data).toMatchObject({ status: 'Deployed', state: 'OFFERED' });
    await patient.close();
  });

  test('answers at once when the service stops', async () => {
    const stopping = await startTestApi(service.databaseUrl, {
      rpcUrls: { [chainId]: chain.rpcUrl },
      env: { DEPLOY_WAIT_MS: '60000' },
    });
    const { account, body } = await prepare();
    const pending = createCall(stopping.baseUrl, principal.key)('POST', path, { body });
    await expect.poll(() => findTransaction(account.address).catch(() => undefined)).toBeDefined();
    await stopping.close();
    expect((await pending).body.data).toMatchObject({ status: 'Draft' });
  });
});

describe('the same permit again', () => {
  test('leads to the same record, whatever else is said with it', async () => {
    const { body } = await prepare();
    const first = await deploy({ ...body, documentId: 'once' });
    const rows = await service.countRows();
    const other = {
      displayName: 'Other',
      documentId: 'once',
      observers: ['x@y.example'],
      initValues: { ...body.initValues, remark: 'z'.repeat(99) },
    };
    const again = await deploy({ ...body, ...other });
    expect(again.status).toBe(200);
    expect(again.body.data).toEqual(first.body.data);
    expect(await service.countRows()).toEqual(rows);
  });

  test('leads to one record, also when both come at once', async () => {
    const { body } = await prepare();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => deploy({ ...body, documentId: body.signer })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(answers.map(({ body: { data } }) => recordShape.parse(data).id)).size).toBe(1);
  });

  test('leads to the same record after its nonce is used up', async () => {
    const { account, body } = await prepare();
    const first = await deploy(body);
    await chain.send(chain.factory, (await findTransaction(account.address)).call_data);
    expect((await deploy(body)).body.data).toEqual(first.body.data);
  });

  test('of another principal makes a record of its own and no other transaction', async () => {
    const { body } = await prepare();
    const other = await service.createPrincipal();
    const [first, second] = [await deploy(body), await deploy({ ...body, displayName: 'Mine' }, other)];
    expect(second.status).toBe(200);
    expect(second.body.data).toMatchObject({ displayName: 'Mine', status: 'Draft' });
    expect(recordShape.parse(second.body.data).id).not.toBe(recordShape.parse(first.body.data).id);
    expect((await findTransaction(body.signer)).state).toBe('accepted');
  });

  const fail = (signer: string) =>
    service.handle.pool.query(
      `with failed as (update service.transactions set state = 'failed', failure = '{"reason":"x","message":"y"}'
         where signer = $1 returning id)
       update service.records set error = '{"reason":"x","message":"y"}' from failed where deploy_transaction_id = failed.id`,
      [signer],
    );

  test('opens the record again whose transaction had failed, while the permit is good', async () => {
    const { body } = await prepare();
    const first = await deploy(body);
    await fail(body.signer);
    const again = recordShape.parse((await deploy(body)).body.data);
    expect(again.id).toBe(recordShape.parse(first.body.data).id);
    expect(again.onChain.error).toBeUndefined();
    expect((await findTransaction(body.signer)).state).toBe('accepted');
  });

  test('says why the record failed, once the permit is good for nothing', async () => {
    const { body } = await prepare();
    await deploy(body);
    await chain.send(chain.factory, (await findTransaction(body.signer)).call_data);
    await fail(body.signer);
    const { status, body: again } = await deploy(body);
    expect(status).toBe(200);
    expect(recordShape.parse(again.data).onChain.error).toEqual({ reason: 'x', message: 'y' });
    expect((await findTransaction(body.signer)).state).toBe('failed');
  });
});

describe('a deployment is refused and nothing is stored', () => {
  test('on another chain, before all else', async () => {
    const { body } = await prepare();
    await expectRefused(
      { ...body, chainId: 1, agreement: {}, signature: { ...body.signature, v: 28 } },
      400,
      'unsupported_chain',
    );
    await expectRefused({ ...body, chainId: 0 }, 400, 'unsupported_chain');
  });

  test('with a document, values or participants that are not valid', async () => {
    const { body } = await prepare();
    await expectRefused(
      { ...body, agreement: { ...body.agreement, execution: {} } },
      400,
      'invalid_agreement',
    );
    await expectRefused({ ...body, initValues: {} }, 400, 'invalid_values');
    const stranger = { variableKey: 'nobody', walletAddress: chain.relayer };
    await expectRefused({ ...body, participants: [stranger] }, 400, 'invalid_participants');
    await expectRefused({ ...body, notificationTemplate: 'x' }, 400, 'invalid_notification_template');
  });

  test('with a document id that another record of the principal has', async () => {
    await deploy({ ...(await prepare()).body, documentId: 'taken' });
    const refusal = await expectRefused(
      { ...(await prepare()).body, documentId: 'taken' },
      409,
      'document_id_taken',
    );
    expect(refusal).toMatchSnapshot();
    const other = await service.createPrincipal();
    expect((await deploy({ ...(await prepare()).body, documentId: 'taken' }, other)).status).toBe(200);
  });

  test('after its deadline, by the clock of the chain or of the service', async () => {
    const past = Math.floor(Date.now() / 1000) - 10;
    const refusal = await expectRefused((await prepare({ deadline: past })).body, 400, 'permit_expired');
    expect(refusal.details).toMatchObject({ deadline: past });
    expect(refusal.message).toMatchInlineSnapshot(`"The deadline of the permit has passed."`);
  });

  test('with a nonce that is used up, or whose turn has not come', async () => {
    const account = createAccount();
    await deploy((await prepare({ account })).body);
    await chain.send(chain.factory, (await findTransaction(account.address)).call_data);
    const stale = await expectRefused(
      (await prepare({ account, remark: 'b', docUri: 'x:1' })).body,
      409,
      'stale_nonce',
    );
    expect(stale).toMatchSnapshot();
    const future = await expectRefused((await prepare({ account, nonce: 3n })).body, 409, 'future_nonce');
    expect(future).toMatchSnapshot();
    await expectRefused((await prepare({ account, nonce: 17n })).body, 409, 'future_nonce');
    await expectRefused((await prepare({ account, nonce: 18n })).body, 400, 'signature_mismatch');
  });

  test('while another permit of the signer with this nonce is on its way', async () => {
    const account = createAccount();
    await deploy((await prepare({ account })).body);
    const refusal = await expectRefused(
      (await prepare({ account, docUri: 'x:2' })).body,
      409,
      'nonce_in_flight',
    );
    expect(refusal).toMatchSnapshot();
  });

  test('while another one is just being stored', async () => {
    const account = createAccount();
    const bodies = await Promise.all(
      ['x:1', 'x:2', 'x:3', 'x:4'].map((docUri) => prepare({ account, docUri })),
    );
    const answers = await Promise.all(bodies.map(({ body }) => deploy(body)));
    const outcomes = answers.map(({ status, body }) => body.error?.details?.reason ?? status).toSorted();
    expect(outcomes).toEqual([200, 'nonce_in_flight', 'nonce_in_flight', 'nonce_in_flight']);
  });

  test('with a signature over something else, and what was expected is said', async () => {
    const { account, body } = await prepare();
    const refusal = await expectRefused(
      { ...body, docUri: 'https://leases.example/2' },
      400,
      'signature_mismatch',
    );
    expect(refusal.message).toMatchInlineSnapshot(
      `"The signature is not the signer's over what this request says."`,
    );
    expect(refusal.details).toMatchObject({
      field: 'signature',
      signer: account.address,
      recoveredAddress: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      digest: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      domain: { name: 'AgreementFactory', version: '1', chainId, verifyingContract: chain.factory },
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
    // The public signing library hashes the whole document and compiles one whose inputs have no fields.
    const { compileAgreement, deployTypedData } = await import('../../src/protocol/index.ts');
    const { docHash } = compileAgreement(schemaStyle, { docUri, values });
    const parameters = { ...compileAgreement(agreement, { docUri, values }), docHash };
    const deadline = Math.floor(Date.now() / 1000) + 60;
    const typedData = deployTypedData({
      chainId,
      factory: chain.factory,
      parameters,
      nonce: 0n,
      deadline: BigInt(deadline),
    });
    const signature = splitSignature(await account.signTypedData(typedData));
    const body = { agreement: schemaStyle, displayName: 'Poll', chainId, initValues: values, docUri };
    const refusal = await expectRefused(
      { ...body, signer: account.address, deadline, signature },
      400,
      'signature_mismatch',
    );
    expect(refusal.message).toMatchSnapshot();
  });

  test('for a signer that is a contract, and that is said', async () => {
    const { body } = await prepare();
    const refusal = await expectRefused({ ...body, signer: chain.token }, 400, 'signature_mismatch');
    expect(refusal.message).toMatchSnapshot();
  });

  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;

  test('with a signature in a form that contracts do not take', async () => {
    const { body } = await prepare();
    const { v, r, s } = body.signature;
    const high = { v: v === 27 ? 28 : 27, r, s: word(order - BigInt(s)) };
    for (const signature of [high, { v, r: word(0n), s }, { v, r: word(order), s }, { v, r, s: word(0n) }])
      expect(
        (await expectRefused({ ...body, signature }, 400, 'signature_mismatch')).message,
      ).toMatchSnapshot();
    // No point of the curve has this x.
    await expectRefused({ ...body, signature: { v, r: word(5n), s } }, 400, 'signature_mismatch');
  });

  test.each([
    ['v of 0', { v: 0 }],
    ['v as text', { v: '27' }],
    ['a short r', { r: '0x12' }],
    ['a yParity', { yParity: 1 }],
  ])('with %s', async (_, part) => {
    const { body } = await prepare();
    const answer = await deploy({ ...body, signature: { ...body.signature, ...part } });
    expect(outcome(answer)).toMatchSnapshot();
    expect(answer.status).toBe(400);
  });

  test('where the factory would revert, with its reason', async () => {
    // The zero hash is taken for no target by the engine, and by nobody before it.
    const zero = buildLease('0x0000000000000000000000000000000000000000');
    const account = createAccount();
    const values = { landlord: account.address, tenant: chain.relayer, rent: '5' };
    const permit = await signDeploy({ account, agreement: zero, values, chainId, factory: chain.factory });
    const body = { agreement: zero, displayName: 'Zero', chainId, initValues: values, ...permit };
    expect(await expectRefused(body, 409, 'action_reverted')).toMatchSnapshot();
  });

  test('without a document URI that was signed', async () => {
    const { body } = await prepare();
    const { docUri: _, ...rest } = body;
    const agreement = { ...body.agreement, metadata: { templateId: 'did:template:lease' } };
    for (const sent of [
      { ...body, docUri: '' },
      { ...rest, agreement },
    ]) {
      const answer = await deploy(sent);
      expect(answer.status).toBe(400);
      expect(outcome(answer).details).toMatchObject({ field: 'docUri' });
    }
  });

  test('with parts that are missing or unknown, all at once', async () => {
    const { body } = await prepare();
    const { displayName: _, signer: __, ...rest } = body;
    expect(outcome(await deploy({ ...rest, deadline: -1, colour: 'red' }))).toMatchSnapshot();
  });

  test('by a principal that may only read', async () => {
    const reader = await service.createPrincipal(['agreements.read']);
    expect((await deploy((await prepare()).body, reader)).status).toBe(403);
  });

  test('where no wallet can send it', async () => {
    const setStatus = (status: string) =>
      service.handle.pool.query('update service.relayer_wallets set status = $1', [status]);
    await setStatus('unfunded');
    const before = await service.countRows();
    const answer = await deploy((await prepare()).body);
    expect(outcome(answer)).toMatchSnapshot();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
    expect(await service.countRows()).toEqual(before);
    await setStatus('active');
  });

  test('where nobody has looked after the wallet for long', async () => {
    const saySince = (since: string) =>
      service.handle.pool.query(
        `update service.relayer_wallets set updated_at = now() - $1::interval, lease_until = now() - $1::interval`,
        [since],
      );
    await saySince('2 minutes');
    const before = await service.countRows();
    const refused = await deploy((await prepare()).body);
    expect(refused).toMatchObject({
      status: 503,
      body: { error: { details: { reason: 'relayer_unfunded' } } },
    });
    expect(await service.countRows()).toEqual(before);
    // A worker that is started again is waited for.
    await saySince('20 seconds');
    expect((await deploy((await prepare()).body)).status).toBe(200);
    await saySince('-1 day');
  });

  test('where the chain does not answer', async () => {
    const cutOff = await startTestApi(service.databaseUrl, {});
    const before = await service.countRows();
    const { body } = await prepare();
    const answer = await createCall(cutOff.baseUrl, principal.key)('POST', path, { body });
    expect(outcome(answer)).toMatchSnapshot();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(JSON.stringify(answer.body)).not.toContain('127.0.0.1');
    expect(await service.countRows()).toEqual(before);
    await cutOff.close();
  });

  test('only where all endpoints of the chain are gone', async () => {
    const rpcUrls = { [chainId]: `http://127.0.0.1:9,${chain.rpcUrl}` };
    const api = await startTestApi(service.databaseUrl, { rpcUrls, env: { DEPLOY_WAIT_MS: '1' } });
    const { body } = await prepare();
    expect((await createCall(api.baseUrl, principal.key)('POST', path, { body })).status).toBe(200);
    await api.close();
  });
});

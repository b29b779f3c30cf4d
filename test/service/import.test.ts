import { type Address, type Hex, parseEventLogs } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agreementFactoryAbi } from '../../abis/AgreementFactory.ts';
import { inputRecordShape, recordShape } from '../../src/api/shapes/resources.ts';
import { recordSimulationShape } from '../../src/api/shapes/simulationShapes.ts';
import { createId } from '../../src/platform/database/ids.ts';
import { records } from '../../src/platform/database/tables/records.ts';
import { hashDocument, serializeAgreement } from '../../src/protocol/index.ts';
import { displaceWaiting } from '../../src/records/agreements/displacedRecords.ts';
import { catchUp } from '../support/indexer.ts';
import { createLyingNode } from '../support/lyingNode.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { type Answer, createCall } from './support/call.ts';
import { deployByPermit, deployDirectly, submitDirectly } from './support/directDeployment.ts';
import { buildLease, reference } from './support/documents.ts';
import { type IndexedService, startIndexedService } from './support/indexedService.ts';
import { outcome } from './support/outcome.ts';
import { createAccount, signDeploy, signInput } from './support/permits.ts';
import { chainId } from './support/testChain.ts';
import { startTestApi, type TestPrincipal } from './support/testService.ts';

const publicBaseUrl = 'https://agreements.example';
let setting: IndexedService;
let principal: TestPrincipal;
let landlord: Address;
let tenant: Address;
beforeAll(async () => {
  setting = await startIndexedService({
    PUBLIC_BASE_URL: publicBaseUrl,
    DEPLOY_WAIT_MS: '120000',
    CONSISTENCY_WAIT_MS: '120000',
  });
  principal = await setting.service.createPrincipal();
  const [, first = '0x', second = '0x'] = await setting.chain.client.getAddresses();
  [landlord, tenant] = [first, second];
});
afterAll(() => setting?.close());

/** A lease on the chain that the service does not know, with a unique docUri unless one is given. */
async function deployed(options: { docUri?: string; isIndirect?: boolean } = {}) {
  const { chain } = setting;
  const lease = buildLease(chain.token);
  const agreement = { ...lease, metadata: { ...lease.metadata, name: `Lease ${crypto.randomUUID()}` } };
  const values = { landlord, tenant, rent: '5' };
  const address = await deployDirectly(chain, { agreement, values, ...options });
  const submit = (from: Address, inputId: string, inputValues: Record<string, unknown>) =>
    submitDirectly(chain, { from, to: address, agreement, inputId, values: inputValues });
  return {
    address,
    agreement,
    submit,
    body: { chainId, address, agreement, displayName: 'Found lease' },
  };
}

/** An API that does not wait until an import or a deployment is folded. */
const startHasty = () =>
  startTestApi(setting.service.databaseUrl, {
    rpcUrls: { [chainId]: setting.chain.rpcUrl },
    env: { DEPLOY_WAIT_MS: '1', CONSISTENCY_WAIT_MS: '120000' },
  });
const adopt = (body: unknown, { call } = principal) => call('POST', '/v0/agreements/import', { body });
const recordOf = ({ body }: Answer) => recordShape.parse(body.data);
const get = (path: string, { call } = principal) => call('GET', `/v0/agreements/${path}`);
/** Sorts by block: blocks mined in the same second have the same time. */
const historyOf = async (id: string) => {
  const { data } = (await get(`${id}/inputs`)).body;
  return z
    .array(inputRecordShape)
    .parse(data)
    .toSorted((a, b) => Number(a.blockNumber) - Number(b.blockNumber));
};
async function readMarker(id: string): Promise<string | null | undefined> {
  const { rows } = await setting.service.handle.pool.query<{ adopted_through: string | null }>(
    'select adopted_through from service.records where id = $1',
    [id],
  );
  return rows[0]?.adopted_through;
}
/** The hash of this wallet's deployment transaction, once the transaction is broadcast. */
async function findDeployment(signer: Address): Promise<Hex | undefined> {
  const { rows } = await setting.service.handle.pool.query<{ tx_hash: Hex }>(
    `select tx_hash from service.transactions where signer = $1 and state = 'broadcast'`,
    [signer],
  );
  return rows[0]?.tx_hash;
}

async function expectRefused(body: unknown, status: number, reason: string) {
  const { service } = setting;
  const before = await service.countRows();
  const answer = await adopt(body);
  expect(outcome(answer)).toMatchObject({ status, details: { reason } });
  expect(await service.countRows()).toEqual(before);
  return outcome(answer);
}

describe('an agreement that was deployed elsewhere', () => {
  test('becomes a record with its whole past', async () => {
    const { address, body, submit } = await deployed();
    await submit(landlord, 'knock', {});
    await submit(tenant, 'accept', { months: '4', remark: 'gladly' });
    const answer = await adopt({ ...body, observers: ['o@lease.example', 'o@lease.example'] });
    expect(answer.status).toBe(200);
    const record = recordShape.strict().parse(answer.body.data);
    expect(record).toMatchObject({
      address,
      chainId,
      displayName: 'Found lease',
      status: 'Deployed',
      json: body.agreement,
      state: 'ACTIVE',
      variables: { landlord, tenant, rent: '5', remark: 'gladly' },
      owner: setting.chain.relayer,
      docUri: 'ipfs://agreement/did:example:lease',
      participants: [
        { variableKey: 'landlord', walletAddress: landlord },
        { variableKey: 'tenant', walletAddress: tenant },
      ],
      contributors: [landlord, tenant],
      observers: ['o@lease.example'],
      lastInputId: 'accept',
    });
    expect(await historyOf(record.id)).toMatchObject([
      { inputId: 'knock', status: 'MINED', signer: landlord, fromState: 'OFFERED', toState: 'OFFERED' },
      { inputId: 'accept', status: 'MINED', signer: tenant, fromState: 'OFFERED', toState: 'ACTIVE' },
    ]);
  });

  test('is simulated from the values that the contract has stored since', async () => {
    const { body, submit } = await deployed();
    const keeper = landlord;
    const inspect = { inputId: 'inspect', values: {}, by: keeper };
    const simulate = (id: string, by: string) =>
      principal.call('POST', `/v0/agreements/${id}/simulate`, { body: { steps: [{ ...inspect, by }] } });
    await submit(landlord, 'appoint', { keeper: tenant });
    await submit(landlord, 'appoint', { keeper });
    const { id } = recordOf(await adopt(body));
    const outcomeOf = ({ body: { data } }: Answer) => recordSimulationShape.parse(data).steps[0]?.outcome;
    expect(outcomeOf(await simulate(id, 'keeper'))).toBe('accepted');
    expect(outcomeOf(await simulate(id, keeper))).toBe('accepted');
    expect(outcomeOf(await simulate(id, tenant))).toBe('refused');
    await submit(keeper, 'inspect', {});
  });

  test('is marked up to the latest block before, and numbered on from there by the inputs that follow', async () => {
    const { address, agreement, body, submit } = await deployed();
    await submit(landlord, 'knock', {});
    const latest = await setting.chain.client.getBlockNumber();
    const { id } = recordOf(await adopt(body));
    expect(await readMarker(id)).toBe(String(latest));

    const signing = { account: createAccount(), agreement, agreementAddress: address, chainId };
    const { body: knock } = await signInput({ ...signing, inputId: 'knock', values: {} });
    const sent = await principal.call('POST', `/v0/agreements/${id}/input`, { body: knock });
    expect(sent.status).toBe(200);
    await get(`${id}?consistency=${sent.body.meta?.consistency}`);
    const { rows } = await setting.service.handle.pool.query(
      'select position, block_number > $2 as is_later from service.inputs where record_id = $1 order by position',
      [id, String(latest)],
    );
    expect(rows).toEqual([
      { position: 1, is_later: false },
      { position: 2, is_later: true },
    ]);
  });

  test("has the chain's initial values, and the participants' values for variables that the chain does not show", async () => {
    const keeper = createAccount().address;
    const { body } = await deployed();
    const participants = [
      { variableKey: 'keeper', walletAddress: keeper, email: 'k@lease.example' },
      { variableKey: 'tenant', walletAddress: tenant, firstName: 'Tess' },
    ];
    expect(recordOf(await adopt({ ...body, participants }))).toMatchObject({
      variables: { landlord, tenant, rent: '5', keeper },
      participants: [...participants, { variableKey: 'landlord', walletAddress: landlord }],
      contributors: [keeper, tenant, landlord],
    });
  });

  test('with a long docUri shows its beginning, which counts as stored', async () => {
    const importer = await setting.service.createPrincipal();
    const { body } = await deployed({ docUri: `ipfs://${'x'.repeat(20_000)}` });
    const { id, docUri } = recordOf(await adopt(body, importer));
    expect(docUri).toBe(`ipfs://${'x'.repeat(2_041)}`);
    const page = await importer.call('GET', '/v0/agreements');
    expect(page.body.data).toMatchObject([{ id, docUri }]);
    const query = 'select stored_bytes::int as bytes from service.usage_totals where principal_id = $1';
    const bytes = await waitUntil('its use is counted', async () => {
      const { rows } = await setting.service.handle.pool.query<{ bytes: number }>(query, [importer.id]);
      return rows[0]?.bytes;
    });
    const text = serializeAgreement(body.agreement).length;
    expect(bytes).toBeGreaterThan(text + 2_048);
    expect(bytes).toBeLessThan(text + 10_000);
  });

  test('created by way of another contract has the values that the participants give', async () => {
    const { body } = await deployed({ isIndirect: true });
    const participants = [{ variableKey: 'tenant', walletAddress: tenant }];
    const { variables, status } = recordOf(await adopt({ ...body, participants }));
    expect({ variables, status }).toEqual({ variables: { tenant }, status: 'Deployed' });
  });

  test('keeps the id of the document that this service hosts, while the principal has none of that id', async () => {
    const docUri = `${publicBaseUrl}/v0/agreements/documents/lease%20of%20all`;
    const [first, second] = [await deployed({ docUri }), await deployed({ docUri })];
    const hosted = recordOf(await adopt(first.body));
    expect(hosted).toMatchObject({ docUri, documentId: 'lease of all' });
    expect((await get('documents/lease%20of%20all')).body.data).toMatchObject({ agreementId: hosted.id });
    const other = recordOf(await adopt(second.body));
    expect(other.docUri).toBe(docUri);
    expect(other.documentId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('takes inputs through the service', async () => {
    const { address, body, agreement } = await deployed();
    const { id } = recordOf(await adopt(body));
    const account = createAccount();
    const signing = { account, agreement, agreementAddress: address, chainId, inputId: 'knock', values: {} };
    const { body: input } = await signInput(signing);
    const sent = await principal.call('POST', `/v0/agreements/${address}/input`, { body: input });
    expect(sent.body.data).toMatchObject({ agreementId: id, userId: principal.id });
  });
});

describe('the same agreement', () => {
  test('is refused once a record manages it, which is named', async () => {
    const { body } = await deployed();
    const { id } = recordOf(await adopt(body));
    const refusal = await expectRefused({ ...body, displayName: 'Again' }, 409, 'already_managed');
    expect(refusal).toMatchObject({ code: 'conflict', details: { field: 'address', agreementId: id } });
  });

  test('asked for several times at once becomes one record', async () => {
    const { address, body } = await deployed();
    const answers = await Promise.all(Array.from({ length: 6 }, () => adopt(body)));
    const adopted = answers.filter(({ status }) => status === 200).map((answer) => recordOf(answer).id);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(new Set(adopted).size).toBe(1);
    expect(refused.map((answer) => outcome(answer).details)).toEqual(
      refused.map(() => expect.objectContaining({ reason: 'already_managed', agreementId: adopted[0] })),
    );
    const { rows } = await setting.service.handle.pool.query(
      'select id from service.records where address = $1',
      [address],
    );
    expect(rows).toHaveLength(1);
  });

  test('is answered with its Draft at once if a hundred imports and deployments of the principal wait', async () => {
    const { body } = await deployed();
    await catchUp(setting.service.databaseUrl, [{ chainId, rpcUrl: setting.chain.rpcUrl }]);
    let answered = 0;
    const sent = await setting.holdFolding(async () => {
      const sending = Array.from({ length: 103 }, () => adopt(body).finally(() => answered++));
      await waitUntil('three are answered', () => answered === 3);
      return sending;
    });
    const statuses = (await Promise.all(sent)).map((answer) => recordOf(answer).status);
    expect(statuses.filter((status) => status === 'Draft')).toHaveLength(3);
    expect(statuses.filter((status) => status === 'Deployed')).toHaveLength(100);
  });

  test('may be held by two principals, without either learning of the other', async () => {
    const other = await setting.service.createPrincipal();
    const { address, body } = await deployed();
    const [own, others] = await Promise.all([adopt(body), adopt({ ...body, displayName: 'Theirs' }, other)]);
    const [first, second] = [recordOf(own), recordOf(others)];
    expect(second).toMatchObject({ address, displayName: 'Theirs', status: 'Deployed' });
    expect(second.id).not.toBe(first.id);
    expect((await get(first.id, other)).status).toBe(403);
    expect((await get(address, other)).body.data).toMatchObject({ id: second.id });
    expect((await get(address)).body.data).toMatchObject({ id: first.id });
    const late = await setting.service.createPrincipal();
    const third = recordOf(await adopt({ ...body, displayName: 'Late' }, late));
    expect(third).toMatchObject({ address, displayName: 'Late', status: 'Deployed' });
    expect([first.id, second.id]).not.toContain(third.id);
  });

  test('that a Draft is about to become is that Draft, which was deployed here', async () => {
    const { chain } = setting;
    const account = createAccount();
    const agreement = buildLease(chain.token);
    const values = { landlord: account.address, tenant, rent: '7' };
    const { factory } = chain;
    const permit = await signDeploy({ account, agreement, values, chainId, factory });
    const deployment = { agreement, displayName: 'Drafted', chainId, initValues: values, ...permit };
    const hasty = await startHasty();
    const call = createCall(hasty.baseUrl, principal.key);

    const draft = await setting.holdFolding(async () => {
      const stored = recordOf(await call('POST', '/v0/agreements/deploy-with-permit', { body: deployment }));
      const hash = await waitUntil('the deployment is mined', () => findDeployment(account.address));
      const { logs } = await chain.client.getTransactionReceipt({ hash });
      const [created] = parseEventLogs({ abi: agreementFactoryAbi, logs, eventName: 'AgreementDeployed' });
      const address = created?.args.agreement;
      const adopted = await adopt(
        { chainId, address, agreement, displayName: 'Found' },
        { ...principal, call },
      );
      expect(recordOf(adopted)).toMatchObject({ id: stored.id, status: 'Draft', displayName: 'Drafted' });
      return { id: stored.id, consistency: adopted.body.meta?.consistency };
    });
    const { body } = await get(`${draft.id}?consistency=${draft.consistency}`);
    expect(body.data).toMatchObject({ status: 'Deployed', displayName: 'Drafted' });
    expect(await readMarker(draft.id)).toBeNull();
    await hasty.close();
  });
});

describe('an agreement that somebody else has created with a permit', () => {
  /** The lease with many variables of one long text. */
  const addNotes = (lease: ReturnType<typeof buildLease>) => {
    const names = Array.from({ length: 12 }, (_, at) => `note${at}`);
    const each = <Value>(value: (name: string) => Value) =>
      Object.fromEntries(names.map((name) => [name, value(name)]));
    const { variables, execution } = lease;
    const data = { ...execution.initialize.data, ...each(reference) };
    const agreement = {
      ...lease,
      variables: { ...variables, ...each(() => ({ type: 'string' })) },
      execution: { ...execution, initialize: { ...execution.initialize, data } },
    };
    return [agreement, each(() => 'x'.repeat(900))] as const;
  };
  /** A stored deployment, and the address at which its permit has had its effect, through another contract unless told. */
  const frontRun = async (
    store: (body: object) => Promise<Answer>,
    { isIndirect = true, isShared = false } = {},
  ) => {
    const { chain, service } = setting;
    const account = createAccount();
    const [agreement, notes] = isShared ? addNotes(buildLease(chain.token)) : [buildLease(chain.token), {}];
    const values = { landlord: account.address, tenant, rent: '5', ...notes };
    const signing = { account, agreement, values, chainId, factory: chain.factory };
    const permit = await signDeploy(signing);
    const body = { agreement, chainId, displayName: 'Drafted', initValues: values, ...permit };
    const storing = store(body);
    await waitUntil('the deployment is stored', async () => {
      const query = 'select 1 from service.transactions where signer = $1';
      return (await service.handle.pool.query(query, [account.address])).rows.length === 1;
    });
    const address = await deployByPermit(chain, { ...signing, permit, isIndirect, isShared });
    await catchUp(service.databaseUrl, [{ chainId, rpcUrl: chain.rpcUrl }]);
    return { storing, address, body, found: { chainId, address, agreement, displayName: 'Found' } };
  };
  const deploy = (body: object) => principal.call('POST', '/v0/agreements/deploy-with-permit', { body });
  const unreadable = { reason: 'permit_effect_unreadable', message: expect.any(String) };

  test.each([
    ['through another contract', { isIndirect: true }],
    ['with data that decode to much more', { isIndirect: false, isShared: true }],
  ])('%s becomes a record if it is imported after the Draft has failed', async (_, way) => {
    await setting.worker.hold(async () => {
      const { storing, address, body, found } = await frontRun(deploy, way);
      const draft = recordOf(await storing);
      expect(draft).toMatchObject({ status: 'Draft', onChain: { error: unreadable } });
      const adopted = await Promise.all([adopt(found), adopt(found)]);
      const record = recordOf(adopted.find(({ status }) => status === 200) ?? adopted[0]);
      expect(record).toMatchObject({ status: 'Deployed', address, displayName: 'Found', state: 'OFFERED' });
      expect(record.id).not.toBe(draft.id);
      expect(outcome(await adopt(found)).details).toMatchObject({
        reason: 'already_managed',
        agreementId: record.id,
      });
      // The permit is still known, and its Draft stays as it is.
      expect(recordOf(await deploy(body))).toMatchObject({ id: draft.id, onChain: { error: unreadable } });
      expect(recordOf(await get(address)).id).toBe(record.id);
      const evidence = outcome(await get(`${record.id}/evidence`));
      expect(evidence.details).toMatchObject({ reason: 'values_unknown' });
      expect(evidence.message).toContain('another contract deployed it, or its call cannot be read');
    });
  });

  test('becomes one record if it is imported before a fold has failed the Draft', async () => {
    const hasty = await startHasty();
    const call = createCall(hasty.baseUrl, principal.key);
    await setting.worker.hold(async () => {
      const { draft, ids } = await setting.holdFolding(async () => {
        const { storing, found } = await frontRun((body) =>
          call('POST', '/v0/agreements/deploy-with-permit', { body }),
        );
        const answers = await Promise.all([1, 2, 3].map(() => adopt(found, { ...principal, call })));
        return { draft: recordOf(await storing), ids: new Set(answers.map((answer) => recordOf(answer).id)) };
      });
      expect(ids.size).toBe(1);
      const [id = ''] = ids;
      expect(id).not.toBe(draft.id);
      await waitUntil('both are folded', async () => {
        const [adopted, failed] = [recordOf(await get(id)), recordOf(await get(draft.id))];
        return adopted.status === 'Deployed' && failed.onChain.error !== undefined;
      });
      expect(recordOf(await get(draft.id))).toMatchObject({
        status: 'Draft',
        onChain: { error: unreadable },
      });
    });
    await hasty.close();
  });

  test('becomes a record of its own if it was created after the deadline of the Draft', async () => {
    const { service } = setting;
    const hasty = await startHasty();
    const call = createCall(hasty.baseUrl, principal.key);
    await setting.worker.hold(async () => {
      const { draft, id } = await setting.holdFolding(async () => {
        const { storing, found } = await frontRun(
          (sent) => call('POST', '/v0/agreements/deploy-with-permit', { body: sent }),
          { isIndirect: false },
        );
        const stored = recordOf(await storing);
        // As if the wallet had signed the same again for later, and somebody had sent that.
        await service.handle.pool.query(
          `update service.transactions set deadline = 1 where id = (select deploy_transaction_id from service.records where id = $1)`,
          [stored.id],
        );
        return { draft: stored, id: recordOf(await adopt(found, { ...principal, call })).id };
      });
      expect(id).not.toBe(draft.id);
      await waitUntil('both are folded', async () => {
        const [adopted, failed] = [recordOf(await get(id)), recordOf(await get(draft.id))];
        return adopted.status === 'Deployed' && failed.onChain.error !== undefined;
      });
      expect(recordOf(await get(draft.id))).toMatchObject({
        status: 'Draft',
        onChain: { error: { reason: 'permit_superseded' } },
      });
    });
    await hasty.close();
  });
});

describe('an address at which a reorg has put another agreement', () => {
  /** A record of the principal that waits there, imported with this document. */
  const insertWaiting = async (address: Address, document: string) => {
    const id = createId('agr');
    await setting.service.handle.database.insert(records).values({
      ...{ id, principalId: principal.id, chainId, address, status: 'Draft', displayName: 'Waiting' },
      ...{
        document,
        docHash: hashDocument(document),
        templateId: 'did:example:lease',
        docUri: 'ipfs://lease',
      },
      ...{ participants: [], observers: [], contributors: [], initialVariables: {}, variables: {} },
      adoptedThrough: 0n,
    });
    return id;
  };
  const displaced = { reason: 'agreement_replaced', message: expect.any(String) };

  test('becomes a new record; the one that waits there for its own document says so', async () => {
    const { address, body } = await deployed();
    const former = await insertWaiting(address, serializeAgreement((await deployed()).agreement));
    const { id, status } = recordOf(await adopt(body));
    expect(status).toBe('Deployed');
    expect(id).not.toBe(former);
    const { onChain, ...others } = recordOf(await get(former));
    expect(others).not.toHaveProperty('address');
    expect({ ...others, error: onChain.error }).toMatchObject({ status: 'Draft', error: displaced });
    expect(recordOf(await get(address))).toMatchObject({ id });
  });

  test('is given back to the record displaced from there if its agreement is imported again', async () => {
    const { address, body, submit } = await deployed();
    const document = serializeAgreement((await deployed()).agreement);
    const { database } = setting.service.handle;
    const place = {
      principal_id: principal.id,
      chain_id: chainId,
      address,
      doc_hash: hashDocument(document),
      transaction_hash: '0x',
      permit_creation: null,
    } as const;
    await submit(tenant, 'accept', { months: '4', remark: 'gladly' });
    const { former, later, sending } = await setting.holdFolding(async () => {
      const displacedId = await insertWaiting(address, serializeAgreement(body.agreement));
      await displaceWaiting(database, [place]);
      const waitingId = await insertWaiting(address, document);
      const answers = [adopt(body)];
      await waitUntil('the waiting record is displaced', async () => {
        const { onChain } = recordOf(await get(waitingId));
        return onChain.error !== undefined;
      });
      return { former: displacedId, later: waitingId, sending: answers };
    });
    const [answer] = (await Promise.all(sending)).map(recordOf);
    expect(answer).toMatchObject({ id: former, status: 'Deployed', state: 'ACTIVE' });
    expect(await readMarker(former)).toBe('0');
    expect(recordOf(await get(later)).onChain.error).toEqual(displaced);
  });
});

describe('an import is refused and nothing is stored', () => {
  test('of another document than the contract was created with', async () => {
    const { body } = await deployed();
    const agreement = { ...body.agreement, content: { type: 'md', data: 'Another text' } };
    const refusal = await expectRefused({ ...body, agreement }, 400, 'document_mismatch');
    expect(refusal.details).toMatchObject({
      field: 'agreement',
      docHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      contractDocHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
  });

  test.each([
    ['nothing stands', () => createAccount().address],
    ['a contract stands that is no agreement', () => setting.chain.token],
    ['the factory stands', () => setting.chain.factory],
  ])('where %s', async (_, choose) => {
    const { body } = await deployed();
    const refusal = await expectRefused({ ...body, address: choose() }, 404, 'unknown_agreement');
    expect(refusal).toMatchObject({ code: 'not_found', details: { field: 'address' } });
  });

  test('with participants that are not those of the agreement', async () => {
    const { body } = await deployed();
    const participants = [
      { variableKey: 'tenant', walletAddress: tenant },
      { variableKey: 'landlord', walletAddress: tenant },
    ];
    const refusal = await expectRefused({ ...body, participants }, 400, 'invalid_participants');
    expect(refusal.details?.issues).toEqual([
      {
        path: 'participants.1.walletAddress',
        message: 'is not the wallet that the agreement was created with',
      },
    ]);
  });

  test('with every fault, before any chain is asked', async () => {
    const { body } = await deployed();
    await expectRefused({ ...body, chainId: 1 }, 400, 'unsupported_chain');
    await expectRefused({ ...body, agreement: {} }, 400, 'invalid_agreement');
    const participants = [{ variableKey: 'rent', walletAddress: tenant }];
    await expectRefused({ ...body, participants }, 400, 'invalid_participants');
    await expectRefused({ ...body, observers: ['nobody'] }, 400, 'invalid_participants');
    for (const [field, changed] of [
      ['initValues', { initValues: {} }],
      ['address', { address: '0x12' }],
      ['displayName', { displayName: ' ' }],
    ] as const) {
      const answer = await adopt({ ...body, ...changed });
      expect(outcome(answer)).toMatchObject({ status: 400, details: { field } });
    }
  });

  test('for callers without the right to write', async () => {
    const reader = await setting.service.createPrincipal(['agreements.read']);
    const { body } = await deployed();
    expect(outcome(await adopt(body, reader))).toMatchObject({ status: 403 });
  });
});

test('a deployment whose permit somebody else has sent is refused with the address of its agreement, which can be imported', async () => {
  const { chain, service } = setting;
  const account = createAccount();
  const agreement = buildLease(chain.token);
  const values = { landlord: account.address, tenant: chain.relayer, rent: '5' };
  const docUri = 'https://leases.example/front-run';
  const signing = { account, agreement, values, chainId, factory: chain.factory, docUri };
  const permit = await signDeploy(signing);
  const address = await deployByPermit(chain, { ...signing, permit });
  await catchUp(service.databaseUrl, [{ chainId, rpcUrl: chain.rpcUrl }]);
  const body = { agreement, chainId, displayName: 'Lease', initValues: values, ...permit };
  const before = await service.countRows();
  const refused = outcome(await principal.call('POST', '/v0/agreements/deploy-with-permit', { body }));
  expect(refused).toMatchObject({
    status: 409,
    details: { reason: 'stale_nonce', signedNonce: '0', currentNonce: '1', agreementAddress: address },
  });
  expect(refused.message).toContain(address);
  expect(await service.countRows()).toEqual(before);
  // With other content, the deployed agreement is not the one that this permit signs.
  const otherUri = 'https://leases.example/other';
  const otherPermit = await signDeploy({ ...signing, docUri: otherUri });
  const other = outcome(
    await principal.call('POST', '/v0/agreements/deploy-with-permit', { body: { ...body, ...otherPermit } }),
  );
  expect(other.details).toMatchObject({ reason: 'stale_nonce' });
  expect(other.details).not.toHaveProperty('agreementAddress');
  expect((await adopt({ chainId, address, agreement, displayName: 'Lease' })).status).toBe(200);
});

test('an adopted agreement is marked near the head of the index, whatever block a node claims', async () => {
  const { service, chain } = setting;
  const { body } = await deployed();
  await catchUp(service.databaseUrl, [{ chainId, rpcUrl: chain.rpcUrl }]);
  const node = await createLyingNode(chain.rpcUrl);
  node.tell('absurdHead');
  const misled = await startTestApi(service.databaseUrl, {
    rpcUrls: { [chainId]: node.url },
    env: { DEPLOY_WAIT_MS: '1' },
  });
  const answer = await adopt(body, { ...principal, call: createCall(misled.baseUrl, principal.key) });
  await misled.close();
  await node.close();
  const latest = await chain.client.getBlockNumber();
  expect(Number(await readMarker(recordOf(answer).id))).toBeLessThan(Number(latest) + 100);
});

test('an agreement that the index cannot show in time needs another try, and nothing is stored', async () => {
  const { indexer, service, chain } = setting;
  await indexer.stop();
  const { body } = await deployed();
  const before = await service.countRows();
  const impatient = await startTestApi(service.databaseUrl, {
    rpcUrls: { [chainId]: chain.rpcUrl },
    env: { CONSISTENCY_WAIT_MS: '200' },
  });
  const answer = await adopt(body, { ...principal, call: createCall(impatient.baseUrl, principal.key) });
  await impatient.close();
  expect(outcome(answer)).toMatchObject({ status: 503, code: 'chain_unavailable' });
  expect(answer.headers.get('retry-after')).toBeTruthy();
  expect(await service.countRows()).toEqual(before);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { preflightShape, templateReportShape } from '../../src/api/shapes/resources.ts';
import { type Call, createCall } from './support/call.ts';
import { buildLease, reference } from './support/documents.ts';
import { outcome } from './support/outcome.ts';
import { startTestService, type TestService } from './support/testService.ts';

let service: TestService;
let call: Call;
beforeAll(async () => {
  service = await startTestService();
  call = (await service.createPrincipal()).call;
});
afterAll(() => service.close());

const token = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const landlord = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const tenant = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const lease = buildLease(token);
const participants = [
  {
    variableKey: 'tenant',
    walletAddress: tenant.toLowerCase(),
    email: 'tenant@lease.example',
    firstName: 'Tess',
  },
  { variableKey: 'landlord', walletAddress: landlord },
];
const unsigned =
  'is not signed and not stored on the chain: neither execution.initialize.data nor an action refers to its variable';
const deployment = { agreement: lease, chainId: 59141, initValues: { rent: '0x10' }, participants };

describe('validate-template', () => {
  const check = (body: unknown) => call('POST', '/v0/agreements/validate-template', { body });

  test('says what a document declares, and what may surprise', async () => {
    const { status, body } = await check(lease);
    expect(status).toBe(200);
    expect(templateReportShape.strict().parse(body.data)).toMatchSnapshot();
  });

  test('reads a document that has no id', async () => {
    const { metadata: _, ...anonymous } = lease;
    expect((await check(anonymous)).body.data).toMatchObject({ templateId: null });
  });

  test('refuses with all issues and their paths', async () => {
    const broken = structuredClone(lease);
    broken.execution.initialize.initialState = 'NOWHERE';
    broken.execution.inputs.accept.issuer = reference('nobody');
    broken.execution.transitions[0] = { from: 'OFFERED', to: 'GONE', conditions: [{ input: 'accept' }] };
    expect(outcome(await check(broken))).toMatchSnapshot();
  });

  test('tells a caller who sends the document in a member that the document itself is the body', async () => {
    const issue = { path: 'agreement', message: 'must be the body itself, without a member around it' };
    for (const body of [{ agreement: lease }, deployment])
      expect(outcome(await check(body))).toMatchObject({
        status: 400,
        message: `The agreement is not valid: ${issue.path} ${issue.message}.`,
        details: { reason: 'invalid_agreement', issues: [issue] },
      });
    expect((await check({ ...lease, agreement: {} })).status).toBe(200);
  });

  test('refuses a document with too many states', async () => {
    const states = Object.fromEntries(Array.from({ length: 257 }, (_, at) => [`S${at}`, {}]));
    const answer = await check({ ...lease, execution: { ...lease.execution, states } });
    expect(outcome(answer)).toMatchSnapshot();
  });

  test('refuses a document that is too large', async () => {
    const answer = await check({ ...lease, content: { type: 'md', data: 'x'.repeat(524_288) } });
    expect(outcome(answer)).toMatchObject({
      status: 413,
      code: 'payload_too_large',
      details: { limitBytes: 524_288 },
    });
  });

  test('refuses a document that nests one level too deeply, and takes one that just does not', async () => {
    const nest = (levels: number): unknown => (levels === 0 ? 1 : [nest(levels - 1)]);
    expect((await check({ ...lease, extra: nest(63) })).status).toBe(200);
    expect((await check({ ...lease, extra: nest(64) })).status).toBe(400);
  });
});

describe('validate', () => {
  const check = (body: unknown) => call('POST', '/v0/agreements/validate', { body });

  test('answers with the values to sign', async () => {
    const { status, body } = await check({
      ...deployment,
      observers: ['o@lease.example', 'o@lease.example'],
    });
    expect(status).toBe(200);
    expect(preflightShape.strict().parse(body.data)).toMatchSnapshot();
  });

  test('warns of values that the signature does not cover', async () => {
    const initValues = { ...deployment.initValues, remark: 'next to the pump' };
    const keeper = { variableKey: 'keeper', walletAddress: tenant };
    const answer = await check({ ...deployment, initValues, participants: [...participants, keeper] });
    const { warningDetails } = preflightShape.parse(answer.body.data);
    expect(warningDetails.filter(({ message }) => message.startsWith('is not signed'))).toEqual([
      { path: 'initValues.remark', message: unsigned },
      { path: 'participants[2].walletAddress', message: unsigned },
    ]);
  });

  test('takes details of a participant that are null for absent ones', async () => {
    const [first, ...others] = participants;
    const withNulls = { ...first, email: null, firstName: null, lastName: null, walletBinding: null };
    const { status, body } = await check({ ...deployment, participants: [withNulls, ...others] });
    expect(status).toBe(200);
    const [read] = preflightShape.strict().parse(body.data).participants;
    expect(read).toEqual({ variableKey: 'tenant', walletAddress: tenant, walletBinding: null });
  });

  test('needs no chain, and stores nothing', async () => {
    await check(deployment);
    expect(await service.countRows()).toEqual({ records: 0, inputs: 0, transactions: 0 });
  });

  test.each([
    ['another chain', { chainId: 1 }, 'unsupported_chain'],
    ['a chain that cannot be', { chainId: 0 }, 'unsupported_chain'],
    ['a negative chain', { chainId: -1 }, 'unsupported_chain'],
    [
      'another chain, before all else',
      { chainId: 1, agreement: {}, participants: [{}] },
      'unsupported_chain',
    ],
    ['a chain of the other environment', { chainId: 8453 }, 'unsupported_chain'],
    ['a document that does not compile', { agreement: { metadata: { id: 'x' } } }, 'invalid_agreement'],
    ['a document that is none', { agreement: 'lease' }, 'invalid_agreement'],
    ['a document without any id', { agreement: { ...lease, metadata: {} } }, 'invalid_agreement'],
    [
      'wrong values, all at once',
      { initValues: { rent: '-1', remark: 'x'.repeat(21), colour: 1, tenant: landlord } },
      'invalid_values',
    ],
    ['missing values', { initValues: {}, participants: [] }, 'invalid_values'],
    ['values that are no object', { initValues: [] }, 'invalid_values'],
    [
      'wrong participants, all at once',
      { participants: [...participants, participants[0], { variableKey: 'rent', walletAddress: '0x1' }] },
      'invalid_participants',
    ],
    [
      'participants without a shape',
      { participants: [{ variableKey: 1, colour: 'red' }] },
      'invalid_participants',
    ],
    ['an observer that is no address', { observers: ['nobody'] }, 'invalid_participants'],
    [
      'a document without any id, before an observer that is no address',
      { agreement: { ...lease, metadata: {} }, observers: ['nobody'] },
      'invalid_agreement',
    ],
    [
      'wrong values, before an observer that is no address',
      { initValues: { ...deployment.initValues, colour: 1 }, observers: ['nobody'] },
      'invalid_values',
    ],
    [
      'missing values, before an observer that is no address',
      { initValues: {}, observers: ['nobody'] },
      'invalid_values',
    ],
    [
      'wrong values, before participants without a shape',
      { initValues: { colour: 1 }, participants: [{ variableKey: 1 }] },
      'invalid_values',
    ],
    [
      'a text instead of values, before participants without a shape',
      { initValues: 'rent', participants: [{ variableKey: 1 }] },
      'invalid_values',
    ],
  ])('refuses %s', async (_, change, reason) => {
    const answer = await check({ ...deployment, ...change });
    expect(answer.status).toBe(400);
    expect(answer.body.error?.details?.reason).toBe(reason);
    expect(outcome(answer)).toMatchSnapshot();
  });

  test('takes the rest of a deployment, and does not look at it', async () => {
    const rest = {
      displayName: '',
      docUri: 1,
      documentId: {},
      signer: 'me',
      deadline: 'now',
      signature: null,
    };
    const answer = await check({ ...deployment, ...rest });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual((await check(deployment)).body.data);
    expect(outcome(await check({ ...deployment, ...rest, colour: 'red' }))).toMatchObject({
      status: 400,
      message: 'The body is not as expected: colour is not a known field.',
    });
  });

  test.each([
    ['without a chain', { agreement: lease }],
    ['without a document', { chainId: 59141 }],
  ])('refuses a body %s', async (_, body) => {
    expect(outcome(await check(body))).toMatchSnapshot();
  });
});

test('a principal that may only read may not author', async () => {
  const reader = await service.createPrincipal(['agreements.read']);
  for (const path of ['/v0/agreements/validate', '/v0/agreements/validate-template'])
    expect((await reader.call('POST', path, { body: deployment })).status).toBe(403);
  expect(
    (await createCall(service.baseUrl)('POST', '/v0/agreements/validate', { body: deployment })).status,
  ).toBe(401);
});

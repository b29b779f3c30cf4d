import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordSimulationShape, simulationShape } from '../../src/api/shapes/simulationShapes.ts';
import { encodeInputPayload } from '../../src/protocol/index.ts';
import { type InputScene, startInputScene } from './inputs/support/inputScene.ts';
import type { Call } from './support/call.ts';
import { buildLease } from './support/documents.ts';
import { outcome } from './support/outcome.ts';
import { startTestService, type TestService } from './support/testService.ts';

const token = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const landlord = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const tenant = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const keeper = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

const deployment = {
  agreement: buildLease(token),
  chainId: 59141,
  initValues: { rent: '16' },
  participants: [
    { variableKey: 'tenant', walletAddress: tenant, email: 'tenant@lease.example' },
    { variableKey: 'landlord', walletAddress: landlord },
  ],
  observers: ['archive@lease.example'],
};
const months = { months: '4', remark: 'gladly', code: 'A' };

describe('a simulated deployment', () => {
  let service: TestService;
  let call: Call;
  // No node answers for the chains of this service.
  beforeAll(async () => {
    service = await startTestService();
    call = (await service.createPrincipal()).call;
  });
  afterAll(() => service.close());

  const simulate = (body: object) => call('POST', '/v0/agreements/simulate', { body });
  const play = async (steps: readonly object[], more: object = {}) => {
    const answer = await simulate({ ...deployment, steps, ...more });
    expect(answer.status).toBe(200);
    return simulationShape.strict().parse(answer.body.data);
  };

  test('without a chain is refused for the same reasons as with one', async () => {
    const { chainId, ...withoutChain } = { ...deployment, participants: 'x', steps: [] };
    for (const body of [withoutChain, { ...withoutChain, chainId }])
      expect((await simulate(body)).body.error).toMatchObject({
        details: { reason: 'invalid_participants' },
      });
  });

  test('takes a document that has its id in `templateId`, and something else in `id`', async () => {
    const { metadata, ...others } = buildLease(token);
    const agreement = { ...others, metadata: { ...metadata, templateId: 'did:template:lease', id: {} } };
    expect((await play([], { agreement })).deployment.state).toBe('OFFERED');
  });

  test('plays every step, refuses as the input itself would be refused, and goes on', async () => {
    const before = await service.countRows();
    const {
      deployment: begun,
      steps,
      state,
      variables,
      stoppedAt,
    } = await play([
      { inputId: 'inspect', values: {}, by: 'keeper' },
      { inputId: 'appoint', values: { keeper }, by: 'tenant' },
      { inputId: 'appoint', values: { keeper: keeper.toLowerCase() }, by: 'landlord' },
      { inputId: 'inspect', values: {}, by: 'keeper' },
      { inputId: 'pay', values: {}, by: 'tenant' },
      { inputId: 'idle', values: {}, by: 'tenant' },
      { inputId: 'gone', values: {}, by: 'tenant' },
      { inputId: 'accept', values: { months: '5' }, by: 'tenant' },
      { inputId: 'accept', values: months, by: tenant },
      { inputId: 'pay', values: {}, by: 'landlord' },
    ]);
    expect(begun).toEqual({
      state: 'OFFERED',
      variables: { landlord, tenant, rent: '16' },
      announces: { fromState: '', toState: 'OFFERED', inputId: '__deploy', sequence: 0 },
      rules: [],
    });
    expect(
      steps.map(({ outcome, refusal, toState }) => [outcome, refusal?.reason, refusal?.field, toState]),
    ).toEqual([
      ['refused', 'issuer_not_allowed', 'by', 'OFFERED'],
      ['refused', 'issuer_not_allowed', 'by', 'OFFERED'],
      ['accepted', undefined, undefined, 'OFFERED'],
      ['accepted', undefined, undefined, 'OFFERED'],
      ['refused', 'state_not_accepting', 'inputId', 'OFFERED'],
      ['refused', 'no_transition', 'inputId', 'OFFERED'],
      ['refused', 'unknown_input', 'inputId', 'OFFERED'],
      ['refused', 'schema_mismatch', 'values', 'OFFERED'],
      ['accepted', undefined, undefined, 'ACTIVE'],
      ['accepted', undefined, undefined, 'PAID'],
    ]);
    expect(steps[2]).toMatchObject({
      by: landlord,
      stored: { keeper },
      variables: { keeper },
      announces: null,
    });
    expect(steps[7]?.refusal?.issues).toEqual(
      [
        { path: 'values.months', message: 'must be 1 plus a multiple of 3' },
        { path: 'values.remark', message: 'is missing' },
      ].filter(({ path }) => path === 'values.months'),
    );
    expect(steps[8]).toMatchObject({
      stored: {},
      variables: { remark: 'gladly' },
      announces: { fromState: 'OFFERED', toState: 'ACTIVE', inputId: 'accept', sequence: 1 },
      external: [],
    });
    expect(steps[9]?.external).toMatchObject([{ type: 'action', address: token, value: '0' }]);
    expect({ state, stoppedAt }).toEqual({ state: 'PAID', stoppedAt: null });
    expect(variables).toEqual({ landlord, tenant, rent: '16', keeper, remark: 'gladly' });
    expect(await service.countRows()).toEqual(before);
  });

  test('ends when its outcomes are large, before its last step', async () => {
    const note = 'x'.repeat(200_000);
    const agreement = {
      ...deployment.agreement,
      metadata: { templateId: 'did:template:notes' },
      variables: {},
      execution: {
        initialize: { initialState: 'A', data: {} },
        states: { A: {} },
        inputs: { go: { data: {} } },
        transitions: [{ from: 'A', to: 'A', conditions: [{ input: 'go' }] }],
        actions: [
          {
            when: { from: 'A', input: 'go' },
            call: {
              type: 'evmCall',
              target: token,
              method: 'note',
              abi: [{ type: 'function', name: 'note', inputs: [{ name: 'text', type: 'string' }] }],
              args: [note],
            },
          },
        ],
      },
    };
    const body = {
      agreement,
      chainId: 59141,
      steps: Array(200).fill({ inputId: 'go', values: {}, by: tenant }),
    };
    const { status, body: answer } = await simulate(body);
    expect(status).toBe(200);
    const { steps, stoppedAt } = simulationShape.strict().parse(answer.data);
    expect(stoppedAt).toBe('output');
    expect(steps.length).toBeGreaterThan(5);
    expect(steps.length).toBeLessThan(15);
    expect(steps.at(-1)).toMatchObject({ outcome: 'accepted', external: [{ type: 'action' }] });
  });

  test('says which rules fire for whom, those of time as often as their time comes', async () => {
    const notification = { channel: 'external_webhook', subject: 'It', body: 'happened' };
    const rule = (id: string, parts: object) => ({ id, name: id, notification, recipients: ['*'], ...parts });
    const rules = [
      rule('begun', { trigger: { type: 'onTransition', inputs: ['__deploy'] }, recipients: ['@observers'] }),
      rule('moved', {
        trigger: { type: 'onTransition', to: ['ACTIVE'] },
        constraints: { maxOccurrences: 1 },
      }),
      rule('off', { enabled: false, trigger: { type: 'onTransition' } }),
      rule('waiting', {
        trigger: {
          type: 'temporal',
          states: ['OFFERED'],
          condition: { type: 'stateAge', threshold: { value: 1, unit: 'days' } },
          checkInterval: { value: 1, unit: 'days' },
        },
        recipients: ['landlord'],
      }),
    ];
    const { deployment: begun, steps } = await play(
      [
        { inputId: 'knock', values: {}, by: tenant, at: '2026-01-01T00:00:00Z' },
        { inputId: 'knock', values: {}, by: tenant, at: '2026-01-03T12:00:00Z' },
        { inputId: 'accept', values: months, by: 'tenant', at: '2026-01-03T13:00:00Z' },
      ],
      { notificationTemplate: { rules } },
    );
    const fired = (list: (typeof steps)[number]['rules']) =>
      list.map(({ ruleId, recipients }) => [ruleId, recipients]);
    expect(fired(begun.rules)).toEqual([['begun', ['archive@lease.example']]]);
    expect(steps.map(({ rules: list }) => fired(list))).toEqual([
      [],
      [['waiting', [landlord]]],
      [['moved', ['tenant@lease.example', landlord]]],
    ]);
    expect(steps[1]?.rules[0]).toMatchObject({ times: 2, dueAt: '2026-01-03T00:00:00.000Z' });
  });

  test('a rule that fires once in a stay does not fire again because its date moves', async () => {
    const { agreement } = deployment;
    const { execution } = agreement;
    const remark = { remark: `\${variables.remark}` };
    const inputs = { ...execution.inputs, knock: { issuer: '', data: remark } };
    const rule = {
      id: 'late',
      name: 'Late',
      trigger: {
        type: 'temporal',
        states: ['OFFERED', 'ACTIVE'],
        condition: {
          type: 'elapsedSinceVariable',
          variable: 'remark',
          threshold: { value: 1, unit: 'days' },
        },
        fireOnce: true,
      },
      recipients: ['tenant'],
      notification: { channel: 'external_webhook', subject: 'It', body: 'happened' },
    };
    const knock = (date: string, at: string) => ({
      inputId: 'knock',
      values: { remark: date },
      by: tenant,
      at: `${at}T00:00:00Z`,
    });
    const { steps } = await play(
      [
        knock('2026-01-02', '2026-01-01'),
        knock('2026-01-06', '2026-01-04'),
        knock('2026-01-20', '2026-01-10'),
        { inputId: 'accept', values: { months: '4' }, by: 'tenant', at: '2026-02-01T00:00:00Z' },
        { inputId: 'pay', values: {}, by: 'tenant', at: '2026-03-01T00:00:00Z' },
      ],
      {
        agreement: { ...agreement, execution: { ...execution, inputs } },
        notificationTemplate: { rules: [rule] },
      },
    );
    expect(steps.map(({ outcome: found }) => found)).toEqual(Array(5).fill('accepted'));
    expect(steps.map(({ rules }) => rules.map(({ ruleId }) => ruleId))).toEqual([
      [],
      ['late'],
      [],
      [],
      // Another stay.
      ['late'],
    ]);
  });

  test('a rule of time does not fire at the moment at which its state is left', async () => {
    const rule = {
      id: 'waiting',
      name: 'Waiting',
      trigger: {
        type: 'temporal',
        states: ['OFFERED', 'ACTIVE'],
        condition: { type: 'stateAge', threshold: { value: 1, unit: 'days' } },
        fireOnce: true,
      },
      recipients: ['tenant'],
      notification: { channel: 'external_webhook', subject: 'It', body: 'happened' },
    };
    const playAt = async (at: string) => {
      const first = { inputId: 'knock', values: {}, by: tenant, at: '2026-01-01T00:00:00Z' };
      const accept = { inputId: 'accept', values: months, by: 'tenant', at };
      const { steps } = await play([first, accept], { notificationTemplate: { rules: [rule] } });
      return steps[1]?.rules.map(({ ruleId }) => ruleId);
    };
    expect(await playAt('2026-01-02T00:00:00Z')).toEqual([]);
    expect(await playAt('2026-01-02T00:00:01Z')).toEqual(['waiting']);
  });

  test('comes with an analysis of the document, as checks of documents and deployments do', async () => {
    const { analysis } = await play([]);
    expect(analysis.unsetVariables).toMatchObject([
      { inputId: 'inspect', variable: 'keeper', example: ['inspect'] },
    ]);
    expect(analysis.finalStates).toMatchObject([{ state: 'PAID', example: ['accept', 'pay'] }]);
    expect(analysis.unsendableInputs.map(({ inputId }) => inputId)).toEqual(['idle']);
    const template = await call('POST', '/v0/agreements/validate-template', { body: deployment.agreement });
    const preflight = await call('POST', '/v0/agreements/validate', { body: deployment });
    for (const { body } of [template, preflight]) expect(body.data).toMatchObject({ analysis });
  });

  test('is refused as the deployment would be, and for steps that cannot be played', async () => {
    const step = { inputId: 'knock', values: {}, by: tenant };
    const late = [
      { ...step, at: '2026-01-02T00:00:00Z' },
      { ...step, at: '2026-01-01T00:00:00Z' },
    ];
    const refused = await Promise.all([
      simulate({ ...deployment, steps: [], chainId: 1 }),
      simulate({ ...deployment, steps: [], initValues: {} }),
      simulate({ ...deployment, steps: Array.from({ length: 201 }, () => step) }),
      simulate({ ...deployment, steps: late }),
    ]);
    expect(refused.map((answer) => [answer.status, outcome(answer).details?.reason])).toEqual([
      [400, 'unsupported_chain'],
      [400, 'invalid_values'],
      [400, undefined],
      [400, undefined],
    ]);
    const reader = await service.createPrincipal(['agreements.read']);
    expect(
      (await reader.call('POST', '/v0/agreements/simulate', { body: { ...deployment, steps: [] } })).status,
    ).toBe(403);
  });
});

describe('a simulated record', () => {
  let scene: InputScene;
  beforeAll(async () => {
    scene = await startInputScene();
  });
  afterAll(() => scene?.close());

  const simulate = (id: string, steps: readonly object[], { call } = scene.principal) =>
    call('POST', `/v0/agreements/${id}/simulate`, { body: { steps } });

  test("continues from the record's state, and changes nothing", async () => {
    const lease = await scene.deploy();
    const before = await scene.service.countRows();
    const answer = await simulate(lease.id, [
      { inputId: 'inspect', values: {}, by: 'landlord' },
      { inputId: 'accept', values: months, by: 'tenant' },
    ]);
    const { steps, state, differsFromDocument } = recordSimulationShape.strict().parse(answer.body.data);
    expect(steps.map(({ outcome: said, refusal, toState }) => [said, refusal?.reason, toState])).toEqual([
      ['refused', 'issuer_not_allowed', 'OFFERED'],
      ['accepted', undefined, 'ACTIVE'],
    ]);
    expect(state).toBe('ACTIVE');
    expect(differsFromDocument).toEqual([]);
    expect(await scene.service.countRows()).toEqual(before);
    const served = await scene.principal.call('GET', `/v0/agreements/${lease.id}/state`);
    expect(served.body.data).toMatchObject({ state: 'OFFERED' });
  });

  test('knows what an input has stored whose name looks like an id', async () => {
    const lease = await scene.deploy();
    const { pool } = scene.service.handle;
    const name = `0x${'ab'.repeat(32)}`;
    const document = JSON.parse(JSON.stringify(lease.agreement).replaceAll('"appoint"', `"${name}"`));
    const payload = encodeInputPayload(document, name, { keeper });
    await pool.query('update service.records set document = $2, input_count = 1 where id = $1', [
      lease.id,
      JSON.stringify(document),
    ]);
    await pool.query(
      `insert into service.inputs (id, record_id, chain_id, agreement_address, input_id, status, payload, "values", position)
       values ('inp_oddly_named', $1, 59141, $2, $3, 'MINED', $4, '{}', 1)`,
      [lease.id, lease.address, name, payload],
    );
    const answer = await simulate(lease.id, [{ inputId: 'inspect', values: {}, by: keeper }]);
    expect(answer.body.data).toMatchObject({ steps: [{ outcome: 'accepted' }] });
  });

  test('is its principal’s alone', async () => {
    const lease = await scene.deploy();
    const other = await scene.service.createPrincipal();
    expect((await simulate(lease.id, [], other)).status).toBe(403);
    expect((await simulate(lease.address, [], other)).status).toBe(404);
    const writer = await scene.service.createPrincipal(['agreements.write']);
    expect((await simulate(lease.id, [], writer)).status).toBe(403);
  });
});

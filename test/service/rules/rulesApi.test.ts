import { createPublicClient, http } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { recordShape } from '../../../src/api/shapes/resources.ts';
import { createRuleRunner } from '../../../src/worker/notifier/ruleRunner.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { silent } from '../projector/support/setup.ts';
import { buildLease } from '../support/documents.ts';
import { type IndexedService, startIndexedService } from '../support/indexedService.ts';
import { outcome } from '../support/outcome.ts';
import { createAccount, signDeploy, signInput } from '../support/permits.ts';
import { chainId } from '../support/testChain.ts';
import type { TestPrincipal } from '../support/testService.ts';

let stack: IndexedService;
let principal: TestPrincipal;
const closings: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  stack = await startIndexedService();
  principal = await stack.service.createPrincipal();
});
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});
afterAll(() => stack.close());

const notification = {
  channel: 'external_webhook',
  subject: `\${agreementName}`,
  body: `Rent: \${variables.rent}`,
};
const onDeploy = {
  id: 'deployed',
  name: 'It is there',
  trigger: { type: 'onTransition', inputs: ['__deploy'] },
  recipients: ['*'],
  notification,
};
const onAge = {
  id: 'waiting',
  name: 'It waits',
  trigger: {
    type: 'temporal',
    states: ['OFFERED'],
    condition: { type: 'stateAge', threshold: { value: 2, unit: 'seconds' } },
    fireOnce: true,
  },
  recipients: ['tenant', 'desk@lease.example'],
  notification: { ...notification, body: `Still \${toState}` },
};

/** A signed deployment with these rules, and its parties. */
async function prepare(notificationTemplate?: unknown, agreement: object = buildLease(stack.chain.token)) {
  const { factory } = stack.chain;
  const [landlord, tenant] = [createAccount(), createAccount()];
  const values = { landlord: landlord.address, tenant: tenant.address, rent: '5' };
  const permit = await signDeploy({ account: landlord, agreement, values, chainId, factory });
  const participants = [
    { variableKey: 'tenant', walletAddress: tenant.address, email: 'tenant@lease.example' },
  ];
  const unsigned = {
    agreement,
    chainId,
    initValues: { landlord: landlord.address, rent: '5' },
    participants,
  };
  const rules = notificationTemplate === undefined ? {} : { notificationTemplate };
  return {
    landlord,
    tenant,
    agreement,
    unsigned: { ...unsigned, ...rules },
    body: { ...unsigned, displayName: 'Lease', ...permit, ...rules },
  };
}
async function deploy(notificationTemplate: unknown, agreement?: object) {
  const prepared = await prepare(notificationTemplate, agreement);
  const answer = await principal.call('POST', '/v0/agreements/deploy-with-permit', { body: prepared.body });
  expect(answer.status).toBe(200);
  return { ...prepared, answer, record: recordShape.parse(answer.body.data) };
}

const toldShape = z.object({ data: z.looseObject({ ruleId: z.string(), recipient: z.string() }) });
async function toldOf(recordId: string) {
  const { rows } = await stack.service.handle.pool.query<{ body: string }>(
    `select body from service.events
     where record_id = $1 and type = 'agreement.notification.triggered' and state = 'released' order by position`,
    [recordId],
  );
  return rows.map(({ body }) => toldShape.parse(JSON.parse(body)).data);
}

async function startRunner({ idleMs }: { idleMs: number }) {
  const runner = createRuleRunner({
    pool: stack.service.handle.pool,
    databaseUrl: stack.service.databaseUrl,
    chains: [{ chainId, confirmations: 1 }],
    clients: new Map([[chainId, createPublicClient({ transport: http(stack.chain.rpcUrl), cacheTime: 0 })]]),
    idleMs,
    logger: silent,
    pollIntervalMs: 200,
  });
  closings.push(runner.close);
  await runner.ready;
}

test('bad rules are refused with everything that is wrong, and nothing is stored', async () => {
  const { body, unsigned } = await prepare({
    rules: [{ ...onDeploy, recipients: ['nobody'], notification: { subject: ' ', body: 'b' } }],
  });
  const before = await stack.service.countRows();
  const refused = {
    status: 400,
    code: 'bad_request',
    message:
      'The notification template is not valid: notificationTemplate.rules.0.notification.subject must not be blank (and 1 more).',
    details: {
      reason: 'invalid_notification_template',
      field: 'notificationTemplate',
      issues: [
        { path: 'notificationTemplate.rules.0.notification.subject', message: 'must not be blank' },
        {
          path: 'notificationTemplate.rules.0.recipients.0',
          message: 'must be *, @observers, a variable of type address or an e-mail address',
        },
      ],
    },
  };
  expect(outcome(await principal.call('POST', '/v0/agreements/deploy-with-permit', { body }))).toEqual(
    refused,
  );
  expect(outcome(await principal.call('POST', '/v0/agreements/validate', { body: unsigned }))).toEqual(
    refused,
  );
  expect(await stack.service.countRows()).toEqual(before);
});

test('faults of values come before faults of rules', async () => {
  const { unsigned } = await prepare({ rules: 'none' });
  const body = { ...unsigned, initValues: { ...unsigned.initValues, rent: 'much' } };
  const { details } = outcome(await principal.call('POST', '/v0/agreements/validate', { body }));
  expect(details?.reason).toBe('invalid_values');
});

test('rules with mails on an installation without a mail server are accepted with a warning', async () => {
  const { answer, unsigned } = await deploy({
    rules: [{ ...onDeploy, notification: { subject: 's', body: 'b' } }],
  });
  const warning = {
    path: 'notificationTemplate.rules.0.notification.channel',
    message: 'is email, but this service has no mail server; nothing will be sent',
  };
  expect(answer.body.meta?.warnings).toEqual([`${warning.path} ${warning.message}`]);
  expect(answer.body.meta?.warningDetails).toEqual([warning]);
  const preflight = await principal.call('POST', '/v0/agreements/validate', { body: unsigned });
  expect(preflight.body.data).toMatchObject({
    warnings: expect.arrayContaining([`${warning.path} ${warning.message}`]),
    warningDetails: expect.arrayContaining([warning]),
  });
});

test('rules fire for the deployment, and for a state that lasts by the clock while the chain stands still', async () => {
  await startRunner({ idleMs: 0 });
  const { record } = await deploy({ metadata: { id: 'lease-rules' }, rules: [onDeploy, onAge] });
  await waitUntil('all is told', async () => (await toldOf(record.id)).length === 4);
  const told = await toldOf(record.id);
  expect(told.map(({ ruleId, recipient }) => [ruleId, recipient])).toEqual([
    ['deployed', 'tenant@lease.example'],
    ['deployed', record.participants?.find(({ variableKey }) => variableKey === 'landlord')?.walletAddress],
    ['waiting', 'tenant@lease.example'],
    ['waiting', 'desk@lease.example'],
  ]);
  expect(told[0]).toMatchObject({ notificationTemplateId: 'lease-rules', notification: { body: 'Rent: 5' } });
  expect(told[2]).toMatchObject({ triggerType: 'temporal', notification: { body: 'Still OFFERED' } });
});

test('a rule that is due and may not fire keeps no later one waiting while the chain stands still', async () => {
  const { pool } = stack.service.handle;
  const { record: stuck } = await deploy({ rules: [onAge] });
  await pool.query(
    `insert into service.quarantined_records (record_id, chain_id, phase, error, retry_at)
    values ($1, $2, 'continue', 'planted', now() + interval '1 day')`,
    [stuck.id, chainId],
  );
  closings.push(() => pool.query('delete from service.quarantined_records'));
  // The last block is then from after the moment at which the first rule became due.
  await stack.chain.client.increaseTime({ seconds: 2 });
  const { record } = await deploy({ rules: [onAge] });
  await startRunner({ idleMs: 0 });
  await waitUntil('the later rule has fired', async () => (await toldOf(record.id)).length === 2);
  expect(await toldOf(stuck.id)).toEqual([]);
});

const previewShape = z.object({
  transition: z.unknown().optional(),
  rules: z.array(
    z.looseObject({
      ruleId: z.string(),
      fires: z.boolean(),
      reason: z.string().optional(),
      notification: z.looseObject({ body: z.string() }).optional(),
    }),
  ),
});
const preview = async (id: string, body: unknown, by = principal) =>
  by.call('POST', `/v0/agreements/${id}/notifications/preview`, { body });

test('a preview says what rules would do, and why the others would do nothing, and stores nothing', async () => {
  const onAccept = {
    ...onDeploy,
    id: 'accepted',
    trigger: { type: 'onTransition', to: ['ACTIVE'] },
    recipients: ['tenant', 'keeper'],
  };
  const off = { ...onAccept, id: 'off', enabled: false };
  const { record, tenant } = await deploy({ rules: [onDeploy, onAccept, off, onAge] });
  await waitUntil('the deployment is told of', async () => (await toldOf(record.id)).length === 2);
  const told = await toldOf(record.id);
  const answer = await preview(record.id, { transition: { inputId: 'accept' } });
  expect(answer.status).toBe(200);
  expect(answer.body.data).toEqual({
    transition: { fromState: 'OFFERED', toState: 'ACTIVE', inputId: 'accept' },
    rules: [
      {
        ruleId: 'deployed',
        triggerType: 'onTransition',
        channel: 'external_webhook',
        fires: false,
        reason: 'input_not_listed',
        recipients: [],
      },
      {
        ruleId: 'accepted',
        triggerType: 'onTransition',
        channel: 'external_webhook',
        fires: true,
        recipients: [{ recipient: 'tenant@lease.example', fires: true }],
        notification: { subject: 'Lease', body: 'Rent: 5' },
      },
      {
        ruleId: 'off',
        triggerType: 'onTransition',
        channel: 'external_webhook',
        fires: false,
        reason: 'disabled',
        recipients: [],
      },
      {
        ruleId: 'waiting',
        triggerType: 'temporal',
        channel: 'external_webhook',
        fires: false,
        reason: 'other_trigger',
        recipients: [],
      },
    ],
  });

  // Of other agreements with such a rule, which have told it already, and of a span of this one that has ended.
  await deploy({ rules: [onAge] });
  const { pool } = stack.service.handle;
  await pool.query('update service.rule_schedules set until_ms = since_ms where record_id = $1', [record.id]);
  const { rowCount } = await pool.query('update service.rule_schedules set next_number = 1');
  expect(rowCount).toBeGreaterThan(0);
  const reasonAt = async (at: string) => {
    const { rules } = previewShape.parse((await preview(record.id, { at })).body.data);
    return rules.map(({ fires, reason }) => (fires ? 'fires' : reason));
  };
  const others = ['other_trigger', 'other_trigger', 'disabled'];
  expect(await reasonAt('2020-01-01T00:00:00Z')).toEqual([...others, 'not_due']);
  expect(await reasonAt('2100-01-01T00:00:00Z')).toEqual([...others, 'fires']);
  const steps = [{ inputId: 'knock', values: {}, by: tenant.address, at: '2100-01-01T00:00:00Z' }];
  const simulated = await principal.call('POST', `/v0/agreements/${record.id}/simulate`, { body: { steps } });
  expect(simulated.body.data).toMatchObject({ steps: [{ rules: [{ ruleId: 'waiting' }] }] });
  expect(await toldOf(record.id)).toEqual(told);

  const tried = await preview(record.id, {
    transition: { inputId: '__deploy' },
    notificationTemplate: { rules: [onDeploy] },
  });
  expect(previewShape.parse(tried.body.data).rules).toMatchObject([{ ruleId: 'deployed', fires: true }]);
});

test("previews and simulations count against a rule's limit what it told of this agreement alone", async () => {
  const limited = { ...onDeploy, recipients: ['tenant'], constraints: { maxOccurrences: 1 } };
  const { record: told } = await deploy({ rules: [limited] });
  await waitUntil('the deployment is told of', async () => (await toldOf(told.id)).length === 1);
  // Another agreement's rule with the same id and recipient, which has told nothing.
  const trigger = { type: 'onTransition', inputs: ['accept'] };
  const { record, tenant } = await deploy({ rules: [{ ...limited, trigger }] });
  const rulesOf = async (id: string, inputId: string) => {
    const { body } = await preview(id, { transition: { inputId } });
    return previewShape.parse(body.data).rules;
  };
  expect(await rulesOf(told.id, '__deploy')).toMatchObject([{ fires: false, reason: 'max_occurrences' }]);
  expect(await rulesOf(record.id, 'accept')).toMatchObject([{ fires: true }]);
  const steps = [{ inputId: 'accept', values: { months: 1 }, by: tenant.address }];
  const simulated = await principal.call('POST', `/v0/agreements/${record.id}/simulate`, { body: { steps } });
  expect(simulated.body.data).toMatchObject({ steps: [{ rules: [{ ruleId: 'deployed' }] }] });
});

test('a preview of a moment says how the state was entered, as the notification would', async () => {
  const told = { ...notification, body: `\${fromState}>\${toState} by \${inputId}` };
  const rule = { ...onAge, trigger: { ...onAge.trigger, states: ['OFFERED', 'ACTIVE'] }, notification: told };
  const { tenant, agreement, record } = await deploy({ rules: [rule] });
  const read = async (id = record.id) => {
    const { body } = await preview(id, { at: '2100-01-01T00:00:00Z' });
    return previewShape.parse(body.data).rules.map((previewed) => previewed.notification?.body);
  };
  expect(await read()).toEqual(['>OFFERED by __deploy']);
  const { body } = await signInput({
    account: tenant,
    agreement,
    agreementAddress: z.templateLiteral(['0x', z.string()]).parse(record.address),
    chainId,
    inputId: 'accept',
    values: { months: 1 },
  });
  await principal.call('POST', `/v0/agreements/${record.id}/input`, { body });
  await waitUntil('it is accepted', async () => {
    const { body: state } = await principal.call('GET', `/v0/agreements/${record.id}/state`);
    return JSON.stringify(state.data).includes('ACTIVE');
  });
  expect(await read()).toEqual(['OFFERED>ACTIVE by accept']);
  // Without a word of the input to the other one.
  expect(await read((await deploy({ rules: [rule] })).record.id)).toEqual(['>OFFERED by __deploy']);
});

test('a simulation does not repeat what a rule has told in this stay, though its date moves', async () => {
  const lease = buildLease(stack.chain.token);
  const { execution } = lease;
  const remark = { remark: `\${variables.remark}` };
  const inputs = { ...execution.inputs, appoint: { issuer: execution.inputs.appoint.issuer, data: remark } };
  const condition = {
    type: 'elapsedSinceVariable',
    variable: 'remark',
    threshold: { value: 0, unit: 'seconds' },
  };
  const rule = { ...onAge, trigger: { ...onAge.trigger, condition } };
  const { landlord, agreement, record } = await deploy(
    { rules: [rule] },
    { ...lease, execution: { ...execution, inputs } },
  );
  const appoint = (date: string) => ({ inputId: 'appoint', values: { remark: date } });
  await startRunner({ idleMs: 0 });
  const { body } = await signInput({
    account: landlord,
    agreement,
    agreementAddress: z.templateLiteral(['0x', z.string()]).parse(record.address),
    chainId,
    ...appoint('2020-01-01'),
  });
  expect((await principal.call('POST', `/v0/agreements/${record.id}/input`, { body })).status).toBe(200);
  await waitUntil('it is told', async () => (await toldOf(record.id)).length === 2);
  const steps = [
    { ...appoint('2021-01-01'), by: landlord.address, at: '2100-01-01T00:00:00Z' },
    { ...appoint('2022-01-01'), by: landlord.address, at: '2100-02-01T00:00:00Z' },
  ];
  const answer = await principal.call('POST', `/v0/agreements/${record.id}/simulate`, { body: { steps } });
  expect(answer.body.data).toMatchObject({
    steps: [
      { outcome: 'accepted', rules: [] },
      { outcome: 'accepted', rules: [] },
    ],
  });
});

test('a preview is refused if it makes no sense, or to strangers', async () => {
  const { record } = await deploy({ rules: [onDeploy] });
  const details = async (body: unknown) => outcome(await preview(record.id, body)).details;
  expect(await details({})).toMatchObject({ issues: [{ path: 'at' }] });
  expect(await details({ at: 'soon' })).toMatchObject({ issues: [{ path: 'at' }] });
  for (const transition of [{ inputId: 'sleep' }, { inputId: 'sleep', toState: 'ACTIVE' }])
    expect(await details({ transition })).toMatchObject({ reason: 'unknown_input' });
  expect(
    await details({ transition: { inputId: 'accept', fromState: 'DREAMT', toState: 'LOST' } }),
  ).toMatchObject({
    field: 'transition.fromState',
    issues: [
      { path: 'transition.fromState', message: 'names "DREAMT", which is not a declared state' },
      { path: 'transition.toState', message: 'names "LOST", which is not a declared state' },
    ],
  });
  expect(await details({ at: '2100-01-01T00:00:00Z', notificationTemplate: { rules: 1 } })).toMatchObject({
    reason: 'invalid_notification_template',
  });
  const stranger = await stack.service.createPrincipal();
  expect((await preview(record.id, { at: '2100-01-01T00:00:00Z' }, stranger)).status).toBe(403);
  const reader = await stack.service.createPrincipal(['webhooks.read']);
  expect((await preview(record.id, { at: '2100-01-01T00:00:00Z' }, reader)).status).toBe(403);
  expect((await preview('agr_0', { at: '2100-01-01T00:00:00Z' })).status).toBe(404);
});

// Must run last: it moves the chain's time ahead, and permits signed by the real clock are expired there.
test('a state that is left in time is not announced, and one that lasts is as soon as the chain shows it', async () => {
  await startRunner({ idleMs: 3_600_000 });
  const rule = {
    ...onAge,
    trigger: { ...onAge.trigger, condition: { type: 'stateAge', threshold: { value: 1, unit: 'days' } } },
  };
  const first = await deploy({ rules: [rule] });
  const second = await deploy({ rules: [rule] });
  const { body } = await signInput({
    account: first.tenant,
    agreement: first.agreement,
    agreementAddress: z.templateLiteral(['0x', z.string()]).parse(first.record.address),
    chainId,
    inputId: 'accept',
    values: { months: 1 },
  });
  const accepted = await principal.call('POST', `/v0/agreements/${first.record.id}/input`, { body });
  expect(accepted.status).toBe(200);
  await waitUntil('it is accepted', async () => {
    const { body: state } = await principal.call('GET', `/v0/agreements/${first.record.id}/state`);
    return JSON.stringify(state.data).includes('ACTIVE');
  });
  await stack.chain.client.increaseTime({ seconds: 86_500 });
  await stack.chain.client.mine({ blocks: 1 });
  await waitUntil('the second is told of', async () => (await toldOf(second.record.id)).length === 2);
  expect(await toldOf(first.record.id)).toEqual([]);
});

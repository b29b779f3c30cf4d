import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createTargetRules } from '../../src/records/webhooks/targetRules.ts';
import { createDeliveryWorld, type DeliveryWorld } from '../support/deliveryWorld.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const read = (name: string) =>
  readFileSync(new URL(`../support/certificates/${name}`, import.meta.url), 'utf8');
const ca = read('authority.pem');
/**
 * A certificate for hooks.example.test and other.example.test, valid for a hundred years. Its authority's key
 * was not kept.
 */
const tls = { key: read('receiver.key.pem'), cert: read('receiver.pem') };

let world: DeliveryWorld;
let receiver: Receiver;
beforeAll(async () => {
  world = await createDeliveryWorld();
  receiver = await startReceiver(undefined, { tls });
});
afterEach(async () => {
  await world.reset();
  await world.pool.query(`update service.webhook_subscriptions set status = 'disabled'`);
  receiver.received.length = 0;
});
afterAll(async () => {
  await receiver.close();
  await world.close();
});

/** Attempts one delivery to a URL, and returns the result. */
async function deliver(url: string) {
  const { id } = await world.subscribe(url);
  await world.release([await world.createRecord()]);
  const [row] = await world.awaitDeliveries(id, ({ attempt_count }) => attempt_count > 0);
  return row;
}

test('a name that turns to this machine after it was checked is not dialled', async () => {
  const answers = [['93.184.215.14'], ['127.0.0.1']];
  const asked: string[] = [];
  const rules = createTargetRules({
    allowed: [],
    async resolveHost(hostname) {
      asked.push(hostname);
      return answers[Math.min(asked.length, answers.length) - 1] ?? [];
    },
  });
  const url = `https://hooks.example.test:${receiver.port}/hook`;
  await rules.resolve(new URL(url));
  await world.startDeliverer({ rules, ca });
  const row = await deliver(url);
  expect(asked.length).toBeGreaterThanOrEqual(2);
  expect(row).toMatchObject({
    status: 'retry_pending',
    response_status: null,
    error: 'must have a host with public addresses only',
  });
  expect(receiver.received).toEqual([]);
});

test('the address that was checked is the one that is dialled, with TLS verified against the name', async () => {
  let asked = 0;
  const rules = createTargetRules({
    allowed: ['127.0.0.1'],
    async resolveHost() {
      asked++;
      return ['127.0.0.1'];
    },
  });
  await world.startDeliverer({ rules, ca });
  const row = await deliver(`https://hooks.example.test:${receiver.port}/hook`);
  expect(row).toMatchObject({ status: 'succeeded', response_status: 200 });
  expect(receiver.received).toHaveLength(1);
  expect(receiver.received[0]?.headers.host).toBe(`hooks.example.test:${receiver.port}`);
  expect(asked).toBe(1);
});

test('one address that is not allowed refuses the others of a name', async () => {
  const rules = createTargetRules({
    allowed: ['127.0.0.1'],
    resolveHost: async () => ['127.0.0.1', '127.0.0.2'],
  });
  await world.startDeliverer({ rules, ca });
  const row = await deliver(`https://hooks.example.test:${receiver.port}/hook`);
  expect(row).toMatchObject({ status: 'retry_pending', response_status: null });
  expect(receiver.received).toEqual([]);
});

test('a literal address is checked when it is dialled', async () => {
  await world.startDeliverer({ rules: createTargetRules({ allowed: [] }), ca });
  for (const url of [
    receiver.url,
    `https://[::1]:${receiver.port}/`,
    `https://[::ffff:127.0.0.1]:${receiver.port}/`,
    `https://2130706433:${receiver.port}/`,
    `http://127.0.0.1:${receiver.port}/`,
  ]) {
    const row = await deliver(url);
    expect([url, row?.status, row?.response_status]).toEqual([url, 'retry_pending', null]);
    expect(row?.error).toMatch(/^must have /);
  }
  expect(receiver.received).toEqual([]);
});

test('a certificate of another name, or of an unknown authority, is refused', async () => {
  const rules = createTargetRules({ allowed: ['127.0.0.1'], resolveHost: async () => ['127.0.0.1'] });
  await world.startDeliverer({ rules, ca });
  const elsewhere = await deliver(`https://wrong.example.test:${receiver.port}/`);
  expect(elsewhere).toMatchObject({ status: 'retry_pending', response_status: null });
  expect(elsewhere?.error).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
  await world.reset();
  await world.startDeliverer({ rules });
  const unknown = await deliver(`https://other.example.test:${receiver.port}/`);
  expect(unknown).toMatchObject({ status: 'retry_pending', response_status: null });
  expect(receiver.received).toEqual([]);
});

test('neither a proxy nor laxness about certificates is taken from the environment', async () => {
  const proxy = await startReceiver();
  const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];
  for (const name of names) process.env[name] = proxy.url;
  process.env.NODE_USE_ENV_PROXY = '1';
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  try {
    const rules = createTargetRules({ allowed: ['127.0.0.1'], resolveHost: async () => ['127.0.0.1'] });
    await world.startDeliverer({ rules });
    const row = await deliver(`https://hooks.example.test:${receiver.port}/`);
    expect(row).toMatchObject({ status: 'retry_pending', response_status: null });
    expect(proxy.received).toEqual([]);
    expect(receiver.received).toEqual([]);
  } finally {
    for (const name of [...names, 'NODE_USE_ENV_PROXY', 'NODE_TLS_REJECT_UNAUTHORIZED'])
      delete process.env[name];
    await proxy.close();
  }
});

test('under the profile of the hosted service its receivers find the headers that they look for', async () => {
  const plain = await startReceiver();
  try {
    await world.startDeliverer({ profile: 'shodai' });
    const { id, secret } = await world.subscribe(plain.url);
    const [eventId] = await world.release([await world.createRecord()]);
    await world.awaitDeliveries(id, ({ status }) => status === 'succeeded');
    const [request] = plain.received;
    if (!request) throw new Error('nothing was received');
    const { headers, body } = request;
    const timestamp = headers['x-shodai-webhook-timestamp'];
    const signature = createHmac('sha256', secret).update(`${timestamp}.${body.toString()}`).digest('hex');
    expect(headers['x-shodai-webhook-id']).toBe(eventId);
    expect(headers['x-shodai-webhook-signature']).toBe(`sha256=${signature}`);
    expect(headers['webhook-id']).toBe(eventId);
    expect(Object.keys(headers).filter((name) => name.startsWith('x-svc-'))).toEqual([]);
  } finally {
    await plain.close();
  }
});

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPortalLinkShape } from '../../src/api/shapes/sessionShapes.ts';
import { subscriptionShape } from '../../src/api/shapes/webhookShapes.ts';
import { createBrowser } from './sessions/support/browser.ts';
import { startWorkedService, type WorkedService } from './support/chainService.ts';
import { deployLease, type Lease } from './support/leases.ts';
import type { TestPrincipal } from './support/testService.ts';

/** More than the API has connections to the database. */
const many = 30;
/** In which all of them have come to the database, or wait for it. */
const settleMs = 500;
/** A request waits a little longer for a connection. */
const connectionMs = 4_000;
const url = 'http://127.0.0.1:9/';

let scene: WorkedService;
let other: TestPrincipal;
let lease: Lease;
let webhookId: string;
let portalSecret: string;
beforeAll(async () => {
  const rates = { RATE_LIMIT_WRITES: '1000', WEBHOOK_ALLOWED_TARGETS: '127.0.0.0/8' };
  scene = await startWorkedService({ DEPLOY_WAIT_MS: '1', SIGNING_WAIT_MS: '120000', ...rates });
  other = await scene.service.createPrincipal();
  lease = await deployLease(scene.principal, scene);
  const created = await scene.principal.call('POST', '/v0/webhooks', { body: { url } });
  webhookId = subscriptionShape.parse(created.body.data).id;
  const link = await scene.principal.call('POST', '/v0/sessions/links');
  portalSecret = new URL(newPortalLinkShape.parse(link.body.data).url).hash.slice(1);
});
afterAll(() => scene?.close());

const lockOfFold = () => ({
  text: 'select from service.records where id = $1 for no key update',
  values: [lease.id],
});
const lockOfRelease = () => ({
  text: 'select from service.event_feeds where principal_id = $1 for update',
  values: [scene.principal.id],
});
const lockOfPrincipal = () => ({
  text: 'select from service.principals where id = $1 for no key update',
  values: [scene.principal.id],
});

test.for([
  {
    what: 'access to a record that is being folded',
    lock: lockOfFold,
    ask: () =>
      scene.principal.call('PATCH', `/v0/agreements/${lease.id}`, { body: { participantAccess: 'sign' } }),
  },
  {
    what: 'links to a record that is being folded',
    lock: lockOfFold,
    ask: () => scene.principal.call('POST', `/v0/agreements/${lease.id}/links`, { body: { may: 'read' } }),
  },
  {
    what: 'webhooks while events are released',
    lock: lockOfRelease,
    ask: () => scene.principal.call('POST', '/v0/webhooks', { body: { url } }),
  },
  {
    what: 'changes of a webhook while events are released',
    lock: lockOfRelease,
    ask: () => scene.principal.call('PATCH', `/v0/webhooks/${webhookId}`, { body: { url } }),
  },
  {
    what: 'portal links of a principal that is locked',
    lock: lockOfPrincipal,
    ask: () => scene.principal.call('POST', '/v0/sessions/links'),
  },
  {
    what: 'sessions of a principal that is locked',
    lock: lockOfPrincipal,
    ask: () => scene.principal.call('POST', '/v0/sessions', { body: {} }),
  },
  {
    what: 'the session of a portal link of a principal that is locked',
    lock: lockOfPrincipal,
    ask: () =>
      createBrowser(scene.service.baseUrl).call('POST', '/v0/sessions', { body: { link: portalSecret } }),
  },
])('requests for $what leave connections to other principals', async ({ lock, ask }) => {
  const client = await scene.service.handle.pool.connect();
  let asked: Promise<{ status: number }>[] = [];
  try {
    await client.query('begin');
    await client.query(lock());
    asked = Array.from({ length: many }, ask);
    const countWaiting = async () => (await client.query('select from pg_locks where not granted')).rowCount;
    await expect.poll(countWaiting).toBeGreaterThan(0);
    await delay(settleMs);
    const begunAt = performance.now();
    expect((await other.call('GET', '/v0/agreements')).status).toBe(200);
    expect(performance.now() - begunAt).toBeLessThan(connectionMs);
  } finally {
    await client.query('rollback');
    client.release();
  }
  const answers = await Promise.all(asked);
  expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
});

import { type ClientRequest, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newSigningLinkShape } from '../../../src/api/shapes/sharingShapes.ts';
import { startWorkedService, type WorkedService } from '../support/chainService.ts';
import { deployLease, type Lease } from '../support/leases.ts';
import { outcome } from '../support/outcome.ts';
import type { TestPrincipal } from '../support/testService.ts';

let scene: WorkedService;
let other: TestPrincipal;
let lease: Lease;
let otherLease: Lease;
beforeAll(async () => {
  scene = await startWorkedService({ DEPLOY_WAIT_MS: '1', SIGNING_WAIT_MS: '120000' });
  other = await scene.service.createPrincipal();
  lease = await deployLease(scene.principal, scene);
  otherLease = await deployLease(other, scene);
});
afterAll(() => scene?.close());

const path = '/v0/shared/agreement/input-typed-data';
const largeBytes = 40_000;
/**
 * Far more requests than may wait: every third of a second one has had its turn, and on a busy machine it may
 * take long until the last ones arrive.
 */
const many = 250;

async function share(by: TestPrincipal, { id }: Lease = lease) {
  const answer = await by.call('POST', `/v0/agreements/${id}/links`, {
    body: { may: 'sign', participant: 'tenant' },
  });
  return new URL(newSigningLinkShape.parse(answer.body.data).url).hash.slice(1);
}

/** Announces a large body and never sends it. Resolves with the status if one comes. */
function sendSlowly(secret: string): { sent: ClientRequest; status: Promise<number | undefined> } {
  const sent = request(`${scene.service.baseUrl}${path}`, {
    method: 'POST',
    headers: {
      'x-agreements-link': secret,
      'content-type': 'application/json',
      'content-length': largeBytes,
    },
  });
  const { promise: status, resolve } = Promise.withResolvers<number | undefined>();
  sent.on('response', (response) => resolve(response.statusCode));
  sent.on('error', () => resolve(undefined));
  sent.flushHeaders();
  return { sent, status };
}

/** Sends a large invalid body at once. */
const sendAtOnce = async (headers: Record<string, string>, to = path) => {
  const response = await fetch(`${scene.service.baseUrl}${to}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ filling: 'x'.repeat(largeBytes) }),
  });
  return response.status;
};

test('guests who send slowly hold up neither the principal whose guests they are, nor guests of another', async () => {
  const secret = await share(scene.principal);
  const otherSecret = await share(other, otherLease);
  const slow = Array.from({ length: many }, () => sendSlowly(secret));
  try {
    // Requests beyond those that may wait get 429. From then on these guests hold their turn for long.
    expect(await Promise.race(slow.map(({ status }) => status))).toBe(429);
    const validate = '/v0/agreements/validate-template';
    expect(await sendAtOnce({ 'x-api-key': scene.principal.key }, validate)).toBe(400);
    expect(await sendAtOnce({ 'x-agreements-link': otherSecret })).toBe(400);
  } finally {
    for (const { sent } of slow) sent.destroy();
  }
});

test('a large body of somebody whom no link lets in is not read', async () => {
  const { sent, status } = sendSlowly(`agl_${'0'.repeat(64)}`);
  expect(await status).toBe(401);
  sent.destroy();
  const answer = await scene.principal.call('GET', '/v0/agreements');
  expect(outcome(answer)).toMatchObject({ status: 200 });
});

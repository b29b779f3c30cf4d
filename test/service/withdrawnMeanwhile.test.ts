import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newSigningLinkShape } from '../../src/api/shapes/sharingShapes.ts';
import { readLockWaits } from '../support/lockWaits.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { type Answer, createCall } from './support/call.ts';
import { outcome } from './support/outcome.ts';
import { insertRecords } from './support/rows.ts';
import type { TestPrincipal, TestService } from './support/testService.ts';
import { createWebhook, startWebhookService } from './support/webhooks.ts';

let service: TestService;
let principal: TestPrincipal;
beforeAll(async () => {
  service = await startWebhookService();
  principal = await service.createPrincipal();
});
afterAll(() => service?.close());

let drafts = 0;
async function insertDraft(): Promise<string> {
  const id = `agr_draft${++drafts}`;
  await insertRecords(service.handle.pool, principal, [{ id, status: 'Draft', awaits_owner: true }]);
  return id;
}

/** Sends a request while a transaction has changed what it needs, and answers for it once that has ended. */
async function sendMeanwhile(
  change: [text: string, value: string],
  send: () => Promise<Answer>,
  end: (waiting: number) => Promise<unknown> = async () => {},
): Promise<Answer> {
  const { pool } = service.handle;
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(change[0], [change[1]]);
    const answer = send();
    let waiting = 0;
    await waitUntil('the request waits for the transaction', async () => {
      waiting = (await readLockWaits(pool))[0] ?? 0;
      return waiting !== 0;
    });
    await end(waiting);
    await client.query('commit');
    return await answer;
  } finally {
    client.release();
  }
}

const deleteRecord = 'delete from service.records where id = $1';

describe('a draft that is withdrawn meanwhile', () => {
  test('gets no link', async () => {
    const id = await insertDraft();
    const answer = await sendMeanwhile([deleteRecord, id], () =>
      principal.call('POST', `/v0/agreements/${id}/links`, { body: { may: 'read' } }),
    );
    expect(outcome(answer)).toMatchObject({ status: 404, message: 'The agreement does not exist.' });
  });

  test('is not found by its guest', async () => {
    const id = await insertDraft();
    const shared = await principal.call('POST', `/v0/agreements/${id}/links`, { body: { may: 'read' } });
    const { url } = newSigningLinkShape.parse(shared.body.data);
    const headers = { 'x-agreements-link': new URL(url).hash.slice(1) };
    const answer = await sendMeanwhile([deleteRecord, id], () =>
      createCall(service.baseUrl)('GET', '/v0/shared/agreement', { headers }),
    );
    expect(outcome(answer)).toMatchObject({ status: 404, message: 'The agreement does not exist.' });
  });
});

test('the secret of a webhook that is removed meanwhile is not found', async () => {
  const { id, by } = await createWebhook(service);
  const answer = await sendMeanwhile(['delete from service.webhook_subscriptions where id = $1', id], () =>
    by.call('POST', `/v0/webhooks/${id}/rotate-secret`),
  );
  expect(outcome(answer)).toMatchObject({ status: 404, message: 'The webhook does not exist.' });
});

test('a request whose statement the database ends is to be sent again later', async () => {
  const id = await insertDraft();
  const answer = await sendMeanwhile(
    ['update service.records set updated_at = now() where id = $1', id],
    () => principal.call('POST', `/v0/agreements/${id}/links`, { body: { may: 'read' } }),
    (waiting) => service.handle.pool.query('select pg_cancel_backend($1)', [waiting]),
  );
  expect(outcome(answer)).toMatchObject({ status: 503 });
  expect(answer.headers.get('retry-after')).toBe('5');
});

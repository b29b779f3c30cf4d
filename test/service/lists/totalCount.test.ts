import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../../src/platform/database/inTransaction.ts';
import { writeEnvelope } from '../../../src/records/events/envelope.ts';
import type { NewEvent } from '../../../src/records/events/newEvent.ts';
import { releaseNow } from '../../../src/worker/publisher/releaseEvents.ts';
import { insertInputs, insertRecords } from '../support/rows.ts';
import { insertDelivery } from '../support/storedDeliveries.ts';
import type { TestPrincipal, TestService } from '../support/testService.ts';
import { createWebhook, startWebhookService } from '../support/webhooks.ts';

let service: TestService;
beforeAll(async () => {
  service = await startWebhookService();
});
afterAll(() => service.close());

/** A principal with three rows in every list. */
async function createOwner(): Promise<{ by: TestPrincipal; paths: Record<string, string> }> {
  const { pool, database } = service.handle;
  const by = await service.createPrincipal();
  const numbers = [1, 2, 3];
  const recordOf = (at: number) => `agr_${by.id.slice(4)}${at}`;
  const records = numbers.map((at) => ({ id: recordOf(at), state: at === 1 ? 'OPEN' : 'SHUT' }));
  await insertRecords(pool, by, records);
  const inputs = numbers.map((at) => ({
    id: `inp_${randomHex(16)}`,
    position: at,
    created_at: `2026-01-0${at}Z`,
  }));
  await insertInputs(pool, { id: recordOf(1), address: `0x${'1'.repeat(40)}` }, inputs);
  const events = numbers.map((at) => deploymentOf(by, recordOf(at)));
  await inTransaction(database, (transaction) => releaseNow(transaction, events));
  const webhook = await createWebhook(service, {}, by);
  for (const _ of [2, 3]) await createWebhook(service, {}, by);
  for (const at of numbers)
    await insertDelivery(service, webhook, { status: 'pending', createdAt: `2026-01-0${at}` });
  const paths = {
    agreements: '/v0/agreements?',
    inputs: `/v0/agreements/${recordOf(1)}/inputs?`,
    webhooks: '/v0/webhooks?',
    deliveries: `/v0/webhooks/${webhook.id}/deliveries?`,
    events: '/v0/events?',
  };
  return { by, paths };
}

function deploymentOf({ id: principalId }: TestPrincipal, recordId: string): NewEvent {
  const id = `evt_${randomHex(32)}`;
  const [type, createdAt] = ['agreement.transitioned', new Date()] as const;
  const names = { agreementId: recordId, agreementName: 'Lease', templateId: 'did:template:lease' };
  const data = { ...names, fromState: '', toState: 'OPEN', inputId: '__deploy', sequence: 0 };
  const body = writeEnvelope({ id, type, createdAt, data });
  return {
    id,
    principalId,
    recordId,
    type,
    body,
    chainId: 59141,
    blockNumber: null,
    txHash: null,
    blockOrder: 0,
  };
}

function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

test.each([
  ['agreements', 'cursor'],
  ['inputs', 'cursor'],
  ['webhooks', 'cursor'],
  ['deliveries', 'cursor'],
  ['events', 'after'],
])('the length of a list of %s is given if the first page holds all of it', async (list, parameter) => {
  const { by, paths } = await createOwner();
  const read = async (query: string) => {
    const { status, body } = await by.call('GET', `${paths[list]}${query}`);
    expect(status).toBe(200);
    return body.pageInfo;
  };
  for (const limit of [3, 4, 100])
    expect(await read(`limit=${limit}`)).toMatchObject({ limit, totalCount: 3 });
  const first = await read('limit=2');
  expect(first).not.toHaveProperty('totalCount');
  // The last page does not know how many rows came before it.
  expect(await read(`limit=2&${parameter}=${first?.nextCursor}`)).not.toHaveProperty('totalCount');
});

test('the length of a filtered list is the number of matching rows', async () => {
  const { by, paths } = await createOwner();
  const totalOf = async (list: string, query: string) =>
    (await by.call('GET', `${paths[list]}${query}`)).body.pageInfo?.totalCount;
  expect(await totalOf('agreements', 'state=SHUT')).toBe(2);
  expect(await totalOf('agreements', 'state=SHUT&createdAt[gte]=2020-01-01T00:00:00Z')).toBe(2);
  expect(await totalOf('inputs', 'createdAt[gt]=2026-01-01T12:00:00Z&sort[updatedAt]=asc')).toBe(2);
  expect(await totalOf('webhooks', 'status=disabled')).toBe(0);
  expect(await totalOf('deliveries', 'status=failed')).toBe(0);
});

test('lists without anything have the length 0', async () => {
  const nobody = await service.createPrincipal();
  for (const path of ['/v0/agreements', '/v0/webhooks', '/v0/events'])
    expect((await nobody.call('GET', path)).body).toMatchObject({ data: [], pageInfo: { totalCount: 0 } });
});

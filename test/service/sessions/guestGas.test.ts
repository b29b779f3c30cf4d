import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inputRecordShape } from '../../../src/api/shapes/resources.ts';
import { newSigningLinkShape } from '../../../src/api/shapes/sharingShapes.ts';
import { defaultQuotas, setQuota } from '../../../src/records/quotas/quotas.ts';
import { addRecordUsage, addUsage } from '../../../src/records/quotas/usage.ts';
import { countGas } from '../../../src/worker/relay/countGas.ts';

import { waitUntil } from '../../support/waitUntil.ts';
import { createCall } from '../support/call.ts';
import { startWorkedService, type WorkedService } from '../support/chainService.ts';
import { deployLease, type Lease } from '../support/leases.ts';
import { outcome } from '../support/outcome.ts';
import type { TestPrincipal } from '../support/testService.ts';

let scene: WorkedService;
beforeAll(async () => {
  scene = await startWorkedService({ DEPLOY_WAIT_MS: '1', SIGNING_WAIT_MS: '120000' });
});
afterAll(() => scene?.close());

/** Sends the tenant's permit with a link of its principal. */
async function sendAsGuest(principal: TestPrincipal, lease: Lease, body: object) {
  const path = `/v0/agreements/${lease.id}/links`;
  const made = await principal.call('POST', path, { body: { may: 'sign', participant: 'tenant' } });
  const { hash } = new URL(newSigningLinkShape.parse(made.body.data).url);
  const call = createCall(scene.service.baseUrl);
  return call('POST', '/v0/shared/agreement/input', {
    body,
    headers: { 'x-agreements-link': hash.slice(1) },
  });
}

function send(principal: TestPrincipal, { id }: Lease, body: object) {
  return principal.call('POST', `/v0/agreements/${id}/input`, { body });
}

async function signAccept(lease: Lease) {
  const values = { months: '4', remark: 'gladly', code: 'A' };
  return (await lease.sign({ account: lease.tenant, inputId: 'accept', values })).body;
}

async function readGuestGas({ id }: Lease): Promise<string | undefined> {
  const { rows } = await scene.service.handle.pool.query<{ guest_gas: string }>(
    'select guest_gas from service.record_usage_days where record_id = $1',
    [id],
  );
  return rows[0]?.guest_gas;
}

test("guests of one agreement leave as much gas as they have used, to their principal and to other agreements' guests", async () => {
  const { database } = scene.service.handle;
  const principal = await scene.service.createPrincipal();
  const [busy, calm] = [await deployLease(principal, scene), await deployLease(principal, scene)];
  const shareOf = (percent: number) => (BigInt(defaultQuotas.gasPerDay) * BigInt(percent)) / 100n;
  await addUsage(database, [{ principalId: principal.id, gas: shareOf(60) }]);
  await addRecordUsage(database, [
    { recordId: busy.id, guestGas: shareOf(40) },
    { recordId: calm.id, guestGas: shareOf(39) },
  ]);
  const body = await signAccept(busy);
  const before = await scene.service.countRows();
  const refused = await sendAsGuest(principal, busy, body);
  expect(outcome(refused)).toMatchObject({ status: 429, details: { reason: 'quota_exceeded' } });
  expect(await scene.service.countRows()).toEqual(before);
  expect((await sendAsGuest(principal, calm, await signAccept(calm))).status).toBe(200);
  expect((await send(principal, busy, body)).status).toBe(200);
  // What was accepted stays accepted.
  expect((await sendAsGuest(principal, busy, body)).status).toBe(200);
});

test('a guest does not learn how much its principal uses and may use', async () => {
  const lease = await deployLease(scene.principal, scene);
  // A principal whose usage the service has not read before.
  const principal = await scene.service.createPrincipal();
  const { database, pool } = scene.service.handle;
  await setQuota(database, { principal: principal.id, quota: 'openTransactions', value: 0 });
  await pool.query('update service.records set principal_id = $2 where id = $1', [lease.id, principal.id]);
  const body = await signAccept(lease);
  expect(outcome(await sendAsGuest(principal, lease, body))).toEqual({
    status: 429,
    code: 'rate_limited',
    message: "A quota of the agreement's principal is used up. Try again later.",
    details: { reason: 'quota_exceeded' },
  });
});

test('a guest is not told to wait for storage, which does not become free by itself', async () => {
  const lease = await deployLease(scene.principal, scene);
  const principal = await scene.service.createPrincipal();
  const { database, pool } = scene.service.handle;
  await setQuota(database, { principal: principal.id, quota: 'storedBytes', value: 0 });
  await pool.query('update service.records set principal_id = $2 where id = $1', [lease.id, principal.id]);
  expect(outcome(await sendAsGuest(principal, lease, await signAccept(lease)))).toEqual({
    status: 402,
    code: 'payment_required',
    message: "The storage quota of the agreement's principal is used up.",
    details: { reason: 'storage_exceeded' },
  });
});

test('the gas of inputs counts for the guests of their agreement only if a guest sent them', async () => {
  const { pool } = scene.service.handle;
  const principal = await scene.service.createPrincipal();
  const [shared, own] = [await deployLease(principal, scene), await deployLease(principal, scene)];
  const answers = [
    await sendAsGuest(principal, shared, await signAccept(shared)),
    await send(principal, own, await signAccept(own)),
  ];
  const inputs = answers.map(({ body }) => inputRecordShape.parse(body.data).id);
  await waitUntil('the gas of the acceptance counts', async () => Number(await readGuestGas(shared)) > 0);
  const accepted = BigInt((await readGuestGas(shared)) ?? 0);
  const { rows } = await pool.query<{ id: string }>(
    'select transaction_id as id from service.inputs where id = any($1) order by array_position($1, id)',
    [inputs],
  );
  // Failed attempts, and gas that is estimated later; that of the guest last.
  countGas(
    { pool, logger: pino({ level: 'silent' }) },
    rows.toReversed().map(({ id }) => ({ id, principalId: principal.id, gas: 7n })),
  );
  await waitUntil('later gas counts', async () => (await readGuestGas(shared)) === String(accepted + 7n));
  expect(await readGuestGas(own)).toBeUndefined();
});

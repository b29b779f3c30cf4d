import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { newSigningLinkShape } from '../../../src/api/shapes/sharingShapes.ts';
import { runAdmin } from '../../../src/cli/admin/runAdmin.ts';
import { readLockWaits } from '../../support/lockWaits.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { expectWithinASecond } from '../sessions/support/sessionScene.ts';
import { createCall } from '../support/call.ts';
import { insertRecords } from '../support/rows.ts';
import { startTestService, type TestPrincipal, type TestService } from '../support/testService.ts';

let service: TestService;
let principal: TestPrincipal;
let recordId: string;
beforeAll(async () => {
  service = await startTestService();
  principal = await service.createPrincipal();
  recordId = `agr_${randomBytes(16).toString('hex')}`;
  const address = `0x${randomBytes(20).toString('hex')}`;
  await insertRecords(service.handle.pool, principal, [{ id: recordId, address }]);
});
afterAll(() => service?.close());

async function admin(...words: string[]) {
  const printed: string[] = [];
  const print = (text: string) => printed.push(text);
  const env = { DATABASE_URL: service.databaseUrl };
  const code = await runAdmin({ words: [...words, '--json'], env, print, printError: print });
  return { code, text: printed.join('\n') };
}
const answerOf = async (...words: string[]): Promise<unknown> => JSON.parse((await admin(...words)).text);

const keyShape = z.looseObject({ id: z.string(), key: z.string() });
async function createKey() {
  const { id, key } = keyShape.parse(await answerOf('keys', 'create', principal.name));
  return { id, call: createCall(service.baseUrl, key) };
}
type Key = Awaited<ReturnType<typeof createKey>>;

/** A link that the key has created, and a visit by it. */
async function share({ call }: Key) {
  const answer = await call('POST', `/v0/agreements/${recordId}/links`, { body: { may: 'read' } });
  const { id, url } = newSigningLinkShape.parse(answer.body.data);
  const headers = { 'x-agreements-link': new URL(url).hash.slice(1) };
  const visit = () => createCall(service.baseUrl)('GET', '/v0/shared/agreement', { headers });
  expect((await visit()).status).toBe(200);
  return { id, visit };
}

test('links of a key are listed and revoked with it, and links of other keys stay', async () => {
  const [leaked, other] = [await createKey(), await createKey()];
  const [first, second, kept] = [await share(leaked), await share(leaked), await share(other)];
  expect(await answerOf('links', 'list', '--key', leaked.id)).toMatchObject([
    { id: first.id, recordId, may: 'read' },
    { id: second.id },
  ]);
  expect(await answerOf('keys', 'revoke', leaked.id, '--with-links')).toMatchObject({
    ...{ id: leaked.id, status: 'revoked' },
    links: [{ id: first.id }, { id: second.id }],
  });
  await expectWithinASecond(401, first.visit);
  await expectWithinASecond(401, second.visit);
  expect((await kept.visit()).status).toBe(200);
  expect(await answerOf('links', 'list', '--key', leaked.id)).toEqual([]);
});

/** Whether a statement with these words waits for a lock. */
const isWaiting = async (words: string): Promise<boolean> =>
  (await readLockWaits(service.handle.pool, words)).length > 0;

test('a request under way creates no link once its key is revoked', async () => {
  const key = await createKey();
  const { pool } = service.handle;
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from service.records where id = $1 for update', [recordId]);
    const creating = key.call('POST', `/v0/agreements/${recordId}/links`, { body: { may: 'read' } });
    await waitUntil('the request waits', () => isWaiting('for no key update'));
    expect(await answerOf('keys', 'revoke', key.id, '--with-links')).toMatchObject({ links: [] });
    await holder.query('rollback');
    expect((await creating).status).toBe(401);
    expect(await answerOf('links', 'list', '--key', key.id)).toEqual([]);
  } finally {
    holder.release(true);
  }
});

test('a request under way subscribes no receiver once its key is revoked', async () => {
  const key = await createKey();
  const { pool } = service.handle;
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query(`update service.api_keys set status = 'revoked' where id = $1`, [key.id]);
    const body = { url: 'https://93.184.215.14/agreements' };
    const creating = key.call('POST', '/v0/webhooks', { body });
    await waitUntil('the request waits', () => isWaiting('for share'));
    await holder.query('commit');
    expect((await creating).status).toBe(401);
    expect((await principal.call('GET', '/v0/webhooks')).body).toMatchObject({ data: [] });
  } finally {
    holder.release(true);
  }
});

test.each([
  ['sends no webhook to another URL', 'PATCH', 'webhooks', { url: 'https://93.184.215.14/other' }],
  ['gives a webhook no new secret', 'POST', 'rotate-secret', {}],
  ['opens no agreement to wallets', 'PATCH', 'agreements', { participantAccess: 'sign' }],
] as const)('a request under way %s once its key is revoked', async (_, method, kind, body) => {
  const [owner, key] = [await createKey(), await createKey()];
  const url = 'https://93.184.215.14/agreements';
  const { body: made } = await owner.call('POST', '/v0/webhooks', { body: { url } });
  const { id } = z.looseObject({ id: z.string() }).parse(made.data);
  const resource = kind === 'agreements' ? `/v0/agreements/${recordId}` : `/v0/webhooks/${id}`;
  const path = kind === 'rotate-secret' ? `${resource}/rotate-secret` : resource;
  const before = await owner.call('GET', resource);
  const { pool } = service.handle;
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query(`update service.api_keys set status = 'revoked' where id = $1`, [key.id]);
    let answered: number | undefined;
    const changing = key.call(method, path, { body }).then((answer) => {
      answered = answer.status;
      return answer;
    });
    await waitUntil(
      'the request waits or has its answer',
      async () => answered !== undefined || (await isWaiting('for share')),
    );
    await holder.query('commit');
    expect((await changing).status).toBe(401);
    const after = await owner.call('GET', resource);
    expect(after.body.data).toEqual(before.body.data);
  } finally {
    holder.release(true);
    await owner.call('DELETE', `/v0/webhooks/${id}`);
  }
});

test('links of a key that is revoked already can still be found and revoked', async () => {
  const key = await createKey();
  const link = await share(key);
  expect(await answerOf('keys', 'revoke', key.id)).not.toHaveProperty('links');
  expect((await link.visit()).status).toBe(200);
  expect(await answerOf('links', 'list', '--key', key.id)).toMatchObject([{ id: link.id }]);
  expect(await answerOf('links', 'revoke', '--key', key.id)).toMatchObject([{ id: link.id }]);
  await expectWithinASecond(401, link.visit);
});

test.each(['list', 'revoke'])('%s needs a key that there is', async (command) => {
  const { code, text } = await admin('links', command, '--key', 'key_none');
  expect({ code, answer: JSON.parse(text) }).toEqual({
    code: 1,
    answer: { error: { message: 'No key has the id key_none.' } },
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { secretSubscriptionShape } from '../../src/api/shapes/webhookShapes.ts';
import { createCipher } from '../../src/platform/encryption/cipher.ts';
import { readSigningSecrets } from '../../src/records/webhooks/secrets.ts';
import type { Answer } from './support/call.ts';
import { buildLease } from './support/documents.ts';
import { createKeyedCall } from './support/keyedCall.ts';
import { createAccount } from './support/permits.ts';
import { chainId } from './support/testChain.ts';
import { encryptionKey, type TestPrincipal, type TestService } from './support/testService.ts';
import { startWebhookService, webhookUrl } from './support/webhooks.ts';

let service: TestService;
let principal: TestPrincipal;
beforeAll(async () => {
  service = await startWebhookService({});
  principal = await service.createPrincipal();
});
afterAll(() => service?.close());

type Request = { path: string; body: object };

/** Sends a request, loses its answer before it is stored, as if the process ended there, and sends it again. */
async function sendTwice(request: Request) {
  const call = createKeyedCall(service, principal);
  const key = randomUUID();
  const { pool } = service.handle;
  await pool.query(`
    create function service.lose_answer() returns trigger language plpgsql as $$ begin raise exception 'lost'; end $$;
    create trigger lose_answer before update on service.idempotency_keys for each row
      when (new.answer is not null) execute function service.lose_answer()`);
  const first = await call(key, request);
  await pool.query(`
    drop trigger lose_answer on service.idempotency_keys;
    drop function service.lose_answer;`);
  await pool.query('update service.idempotency_keys set lease_until = now() where key = $1', [key]);
  const second = await call(key, request);
  expect([first.status, second.status]).toEqual([200, 200]);
  return { first, second, key };
}

const readWebhook = ({ body }: Answer) => secretSubscriptionShape.parse(body.data);

async function countWebhooks(): Promise<number> {
  const query = 'select 1 from service.webhook_subscriptions where principal_id = $1';
  return (await service.handle.pool.query(query, [principal.id])).rowCount ?? 0;
}

describe('a request whose answer is lost after its effect', () => {
  test('creates one webhook, with the secret that was given first', async () => {
    const before = await countWebhooks();
    const request = { path: '/v0/webhooks', body: { url: webhookUrl } };
    const { first, second } = await sendTwice(request);
    expect(second.body.data).toEqual(first.body.data);
    expect(await countWebhooks()).toBe(before + 1);
    // Another key, and the same one once it is free again, create others.
    const other = await sendTwice(request);
    expect(readWebhook(other.first).id).not.toBe(readWebhook(first).id);
    await service.handle.pool.query(
      'update service.idempotency_keys set expires_at = now(), lease_until = null',
    );
    const later = await createKeyedCall(service, principal)(other.key, request);
    expect(readWebhook(later).id).not.toBe(readWebhook(other.first).id);
    expect(await countWebhooks()).toBe(before + 3);
  });

  test("rotates a secret once, and the receiver's own one keeps its grace", async () => {
    const created = await principal.call('POST', '/v0/webhooks', { body: { url: webhookUrl } });
    const { id, secret } = secretSubscriptionShape.parse(created.body.data);
    const request = { path: `/v0/webhooks/${id}/rotate-secret`, body: { graceSeconds: 86_400 } };
    const readSecrets = async () => {
      const { rows } = await service.handle.pool.query(
        `select id, secret, previous_secret as "previousSecret", previous_secret_until as "previousSecretUntil"
         from service.webhook_subscriptions where id = $1`,
        [id],
      );
      return readSigningSecrets(rows[0], createCipher([Buffer.from(encryptionKey, 'hex')]), new Date());
    };
    const { first, second } = await sendTwice(request);
    const given = readWebhook(second).secret;
    expect(given).toBe(readWebhook(first).secret);
    expect(given).not.toBe(secret);
    expect(await readSecrets()).toEqual({ own: secret, all: [given, secret] });
    const next = readWebhook((await sendTwice(request)).second).secret;
    expect(next).not.toBe(given);
    expect(await readSecrets()).toEqual({ own: given, all: [next, given] });
  });

  test('opens one session, and creates one portal link, one draft and one signing link to it', async () => {
    const session = await sendTwice({ path: '/v0/sessions', body: {} });
    expect(session.second.headers.getSetCookie()).toEqual(session.first.headers.getSetCookie());
    const portal = await sendTwice({ path: '/v0/sessions/links', body: { expiresInSeconds: 600 } });
    const signer = createAccount().address;
    const draft = await sendTwice({
      path: '/v0/agreements/drafts',
      body: {
        ...{ agreement: buildLease(`0x${'70'.repeat(20)}`), displayName: 'Lease', chainId, signer },
        initValues: { landlord: signer, tenant: createAccount().address, rent: '5' },
        documentId: 'the-only-one',
      },
    });
    const { id } = z.object({ id: z.string() }).parse(draft.first.body.data);
    const signing = await sendTwice({ path: `/v0/agreements/${id}/links`, body: { may: 'read' } });
    for (const { first, second } of [session, portal, draft, signing])
      expect(second.body.data).toEqual(first.body.data);
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { secretSubscriptionShape } from '../../src/api/shapes/webhookShapes.ts';
import { createKeyedCall } from './support/keyedCall.ts';
import type { TestPrincipal, TestService } from './support/testService.ts';
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
  const read = ({ body }: typeof first) => secretSubscriptionShape.parse(body.data);
  return { first: read(first), second: read(second), key };
}

async function countWebhooks(): Promise<number> {
  const query = 'select 1 from service.webhook_subscriptions where principal_id = $1';
  return (await service.handle.pool.query(query, [principal.id])).rowCount ?? 0;
}

describe('a request whose answer is lost after its effect', () => {
  test('creates one webhook, with the secret that was given first', async () => {
    const before = await countWebhooks();
    const request = { path: '/v0/webhooks', body: { url: webhookUrl } };
    const { first, second } = await sendTwice(request);
    expect(second).toEqual(first);
    expect(await countWebhooks()).toBe(before + 1);
    // Another key, and the same one once it is free again, create others.
    const other = await sendTwice(request);
    expect([other.first.id, other.first.secret]).not.toContain(first.id);
    await service.handle.pool.query(
      'update service.idempotency_keys set expires_at = now(), lease_until = null',
    );
    const later = await createKeyedCall(service, principal)(other.key, request);
    expect(secretSubscriptionShape.parse(later.body.data).id).not.toBe(other.first.id);
    expect(await countWebhooks()).toBe(before + 3);
  });

  test("rotates a secret once, and the receiver's own one keeps its grace", async () => {
    const created = await principal.call('POST', '/v0/webhooks', { body: { url: webhookUrl } });
    const { id, secret } = secretSubscriptionShape.parse(created.body.data);
    const request = { path: `/v0/webhooks/${id}/rotate-secret`, body: { graceSeconds: 86_400 } };
    const previous = async () => {
      const query = 'select previous_secret from service.webhook_subscriptions where id = $1';
      return (await service.handle.pool.query(query, [id])).rows[0]?.previous_secret;
    };
    const { first, second } = await sendTwice(request);
    expect(second.secret).toBe(first.secret);
    expect(first.secret).not.toBe(secret);
    const kept = await previous();
    const next = await sendTwice(request);
    expect(next.second.secret).not.toBe(second.secret);
    expect(await previous()).not.toEqual(kept);
  });
});

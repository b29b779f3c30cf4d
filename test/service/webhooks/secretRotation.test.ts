import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createCipher } from '../../../src/platform/encryption/cipher.ts';
import { readSigningSecrets } from '../../../src/records/webhooks/secrets.ts';
import { outcome } from '../support/outcome.ts';
import { encryptionKey, type TestPrincipal, type TestService } from '../support/testService.ts';
import { createWebhook, readWebhook, startWebhookService, webhookShape } from '../support/webhooks.ts';

let service: TestService;
beforeAll(async () => {
  service = await startWebhookService();
});
afterEach(() => void vi.useRealTimers());
afterAll(() => service.close());

describe('a rotated secret', () => {
  const cipher = createCipher([Buffer.from(encryptionKey, 'hex')]);
  const rotate = async ({ id, by }: { id: string; by: TestPrincipal }, body?: unknown) => {
    const answer = await by.call(
      'POST',
      `/v0/webhooks/${id}/rotate-secret`,
      body === undefined ? {} : { body },
    );
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return z
      .looseObject({ secret: z.string(), previousSecretUntil: z.string().optional() })
      .parse(answer.body.data);
  };
  const readSecrets = async ({ id }: { id: string }, at = new Date()) => {
    const { rows } = await service.handle.pool.query(
      `select id, secret, previous_secret as "previousSecret", previous_secret_until as "previousSecretUntil"
       from service.webhook_subscriptions where id = $1`,
      [id],
    );
    return readSigningSecrets(rows[0], cipher, at);
  };
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);

  test('takes over at the end of the grace period, and until then both are valid', async () => {
    const webhook = await createWebhook(service);
    const { secret, previousSecretUntil } = await rotate(webhook, { graceSeconds: 600 });
    expect(secret).toMatch(/^whsec_[0-9a-f]{64}$/);
    expect(secret).not.toBe(webhook.secret);
    expect(await readSecrets(webhook)).toEqual({ own: webhook.secret, all: [secret, webhook.secret] });
    expect(await readSecrets(webhook, inSeconds(601))).toEqual({ own: secret, all: [secret] });
    const shown = await readWebhook(webhook);
    expect(shown).toMatchObject({ previousSecretUntil });
    expect(shown).not.toHaveProperty('secret');
  });

  test('has a grace of a day unless another is asked for, also without a body', async () => {
    for (const body of [undefined, {}]) {
      const webhook = await createWebhook(service);
      const { previousSecretUntil = '' } = await rotate(webhook, body);
      expect(Math.abs(Date.parse(previousSecretUntil) - inSeconds(86_400).getTime())).toBeLessThan(60_000);
    }
  });

  test('has its whole grace, although the clock of the API is an hour late', async () => {
    const webhook = await createWebhook(service);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
    const { secret } = await rotate(webhook, { graceSeconds: 600 });
    vi.useRealTimers();
    expect(await readSecrets(webhook)).toEqual({ own: webhook.secret, all: [secret, webhook.secret] });
  });

  test('takes over at once without a grace', async () => {
    const webhook = await createWebhook(service);
    const { secret, previousSecretUntil } = await rotate(webhook, { graceSeconds: 0 });
    expect(previousSecretUntil).toBeUndefined();
    expect(await readSecrets(webhook)).toEqual({ own: secret, all: [secret] });
  });

  test('that is rotated again during its grace stays good, and the one before it ends', async () => {
    const webhook = await createWebhook(service);
    const second = await rotate(webhook, { graceSeconds: 600 });
    const third = await rotate(webhook, { graceSeconds: 600 });
    expect(await readSecrets(webhook)).toEqual({ own: second.secret, all: [third.secret, second.secret] });
  });

  test('is shown again to the same request under its Idempotency-Key, and rotated once', async () => {
    const webhook = await createWebhook(service);
    const send = () =>
      webhook.by.call('POST', `/v0/webhooks/${webhook.id}/rotate-secret`, {
        headers: { 'idempotency-key': 'rotate-once' },
      });
    const [first, again] = [await send(), await send()];
    expect(again.body.data).toEqual(first.body.data);
    const { secret } = webhookShape.parse(first.body.data);
    expect(await readSecrets(webhook)).toEqual({ own: webhook.secret, all: [secret, webhook.secret] });
  });

  test.each([[-1], [604_801], [1.5], ['3600'], [null]])('has no grace of %o', async (graceSeconds) => {
    const { id, by } = await createWebhook(service);
    const answer = await by.call('POST', `/v0/webhooks/${id}/rotate-secret`, { body: { graceSeconds } });
    expect(outcome(answer)).toMatchObject({ status: 400, details: { field: 'graceSeconds' } });
  });
});

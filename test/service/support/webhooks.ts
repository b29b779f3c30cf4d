import { expect } from 'vitest';
import { z } from 'zod';
import { startTestService, type TestPrincipal, type TestService } from './testService.ts';

/** Nothing listens at this address. */
export const webhookUrl = 'http://127.0.0.1:9/hook';

export const webhookShape = z.looseObject({
  id: z.string(),
  secret: z.string().optional(),
  status: z.string(),
  eventTypes: z.array(z.string()),
  filters: z.unknown().optional(),
  createdByApiKeyId: z.string(),
});
export type Webhook = z.output<typeof webhookShape>;

export type OwnedWebhook = Webhook & { by: TestPrincipal };

/** The API, with webhooks to this machine allowed. */
export function startWebhookService(env: Readonly<Record<string, string>> = {}): Promise<TestService> {
  return startTestService({ env: { WEBHOOK_ALLOWED_TARGETS: '127.0.0.0/8', ...env } });
}

/**
 * Creates a webhook, with a new principal unless one is given, so that webhooks do not use up each other's
 * limit.
 */
export async function createWebhook(
  service: TestService,
  body: Readonly<Record<string, unknown>> = {},
  by?: TestPrincipal,
): Promise<OwnedWebhook> {
  const principal = by ?? (await service.createPrincipal());
  const answer = await principal.call('POST', '/v0/webhooks', { body: { url: webhookUrl, ...body } });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return { ...webhookShape.parse(answer.body.data), by: principal };
}

export async function readWebhook({ id, by }: Pick<OwnedWebhook, 'id' | 'by'>): Promise<Webhook> {
  return webhookShape.parse((await by.call('GET', `/v0/webhooks/${id}`)).body.data);
}

export async function changeWebhook(
  { id, by }: Pick<OwnedWebhook, 'id' | 'by'>,
  body: unknown,
): Promise<Webhook> {
  const answer = await by.call('PATCH', `/v0/webhooks/${id}`, { body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return webhookShape.parse(answer.body.data);
}

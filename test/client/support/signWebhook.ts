import { createHmac } from 'node:crypto';

/** A delivery in the service's form, signed now. */
export function signWebhook(secret: string): Request {
  const id = 'evt_1';
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const envelope = {
    id,
    type: 'webhook.test',
    apiVersion: '2026-06-01',
    createdAt: new Date().toISOString(),
    data: {},
  };
  const body = JSON.stringify(envelope);
  const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  const headers = {
    'x-svc-webhook-id': id,
    'x-svc-webhook-timestamp': timestamp,
    'x-svc-webhook-signature': `sha256=${digest}`,
  };
  return new Request('http://127.0.0.1/', { method: 'POST', body, headers });
}

import { expect, onTestFinished, test } from 'vitest';
import { startWebhookServer } from '../../../src/cli/admin/webhookServer.ts';
import { findFreePort } from '../../../src/cli/devtools/freePort.ts';
import { signWebhook } from '../../../src/worker/deliverer/signWebhook.ts';

const secret = `whsec_${'ab'.repeat(32)}`;
const event = {
  ...{ id: 'evt_1', type: 'webhook.test', apiVersion: '2026-06-01' },
  ...{ createdAt: '2026-06-01T12:00:00.000Z', data: {} },
};

test('what arrives before the secrets are known is verified with them, and not refused', async () => {
  const heard: string[] = [];
  const refusals: string[] = [];
  const port = await findFreePort();
  const secrets = Promise.withResolvers<readonly string[]>();
  const server = await startWebhookServer({
    port,
    secrets: secrets.promise,
    onEvent: ({ id }) => heard.push(id),
    onRefusal: (reason) => refusals.push(reason),
  });
  onTestFinished(server.close);
  const url = `http://127.0.0.1:${port}/`;
  const body = Buffer.from(JSON.stringify(event));
  const signing = { own: secret, all: [secret] } as const;
  const at = new Date();
  const headers = signWebhook({ eventId: event.id, body, at, secrets: signing, profile: 'default' });
  const early = fetch(url, { method: 'POST', headers, body });
  const forged = fetch(url, { method: 'POST', body });
  expect((await fetch(url)).status).toBe(404);
  expect([heard, refusals]).toEqual([[], []]);
  secrets.resolve([secret]);
  expect([(await early).status, (await forged).status]).toEqual([204, 400]);
  expect([heard, refusals]).toEqual([[event.id], ['missing_headers']]);
});

import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { verifyWebhook, WebhookVerificationError } from '../../client/src/webhooks/verifyWebhook.ts';
import { handleEvent } from './handleEvent.ts';
import { openInbox } from './inbox.ts';
import { maxBodyBytes, settings } from './settings.ts';

/** A receiver with Hono: WEBHOOK_SECRET=whsec_… npx node examples/receivers/hono.ts */

const inbox = openInbox(settings.inbox);
const app = new Hono();

app.post('/webhooks', bodyLimit({ maxSize: maxBodyBytes }), async (context) => {
  const body = new Uint8Array(await context.req.arrayBuffer());
  try {
    const event = await verifyWebhook(body, context.req.raw.headers, settings.secrets);
    // Store first, then answer: an event answered with 2xx is not sent again.
    inbox.take(event, handleEvent);
    return context.body(null, 204);
  } catch (error) {
    // Any other failure is answered with 500, and the event comes again.
    if (!(error instanceof WebhookVerificationError)) throw error;
    console.error(`refused: ${error.reason}`);
    return context.body(null, 400);
  }
});

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: settings.port }, () => {
  console.log(`listening on http://127.0.0.1:${settings.port}/webhooks`);
});

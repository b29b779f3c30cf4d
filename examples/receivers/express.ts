import express from 'express';
import { verifyWebhook, WebhookVerificationError } from '../../client/src/webhooks/verifyWebhook.ts';
import { handleEvent } from './handleEvent.ts';
import { openInbox } from './inbox.ts';
import { maxBodyBytes, settings } from './settings.ts';

/** A receiver with Express: WEBHOOK_SECRET=whsec_… npx node examples/receivers/express.ts */

const inbox = openInbox(settings.inbox);
const app = express();

// The bytes as they were signed: express.json() would pass on its parsed form.
app.post('/webhooks', express.raw({ type: () => true, limit: maxBodyBytes }), async (request, response) => {
  try {
    const event = await verifyWebhook(request.body ?? '', request.headers, settings.secrets);
    // Store first, then answer: an event answered with 2xx is not sent again.
    inbox.take(event, handleEvent);
    response.sendStatus(204);
  } catch (error) {
    // Any other failure is answered with 500, and the event comes again.
    if (!(error instanceof WebhookVerificationError)) throw error;
    console.error(`refused: ${error.reason}`);
    response.sendStatus(400);
  }
});

app.listen(settings.port, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${settings.port}/webhooks`);
});

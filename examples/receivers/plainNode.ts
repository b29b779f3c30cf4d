import { createServer, type IncomingMessage } from 'node:http';
import { verifyWebhook, WebhookVerificationError } from '../../client/src/webhooks/verifyWebhook.ts';
import { handleEvent } from './handleEvent.ts';
import { openInbox } from './inbox.ts';
import { maxBodyBytes, settings } from './settings.ts';

/** A receiver with only Node: WEBHOOK_SECRET=whsec_… npx node examples/receivers/plainNode.ts */

const inbox = openInbox(settings.inbox);

const server = createServer(async (request, response) => {
  if (request.method !== 'POST' || request.url !== '/webhooks') return void response.writeHead(404).end();
  try {
    const body = await readBody(request);
    if (!body) return void response.writeHead(413, { connection: 'close' }).end();
    const event = await verifyWebhook(body, request.headers, settings.secrets);
    // Store first, then answer: an event answered with 2xx is not sent again.
    inbox.take(event, handleEvent);
    response.writeHead(204).end();
  } catch (error) {
    const isRefused = error instanceof WebhookVerificationError;
    console.error(isRefused ? `refused: ${error.reason}` : error);
    // After 4xx the service gives up; after 5xx the event comes again.
    response.writeHead(isRefused ? 400 : 500).end();
  }
});
server.listen(settings.port, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${settings.port}/webhooks`);
});

/** The raw bytes of the body, as signed; undefined if it is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

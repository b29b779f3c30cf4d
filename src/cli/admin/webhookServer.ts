import { createServer, type IncomingMessage } from 'node:http';
import {
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
} from '../../../client/src/webhooks/verifyWebhook.ts';
import { AdministrationError } from '../../records/principals/administrationError.ts';

export type WebhookServerOptions = {
  port: number;
  /** The valid secrets of signatures. What arrives before they are known is answered once they are. */
  secrets: Promise<readonly string[]>;
  onEvent(event: WebhookEvent): void;
  /** A request arrived that is not a webhook under these secrets, and was answered with 400. */
  onRefusal(reason: string): void;
};

const maxBodyBytes = 4_194_304;

/**
 * Receives webhooks on the loopback interface and verifies them.
 *
 * @throws AdministrationError if the port is in use.
 */
export async function startWebhookServer(options: WebhookServerOptions): Promise<{ close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    try {
      const body = await readBody(request);
      if (request.method !== 'POST' || !body) return void response.writeHead(body ? 404 : 413).end();
      options.onEvent(await verifyWebhook(body, request.headers, await options.secrets));
      response.writeHead(204).end();
    } catch (error) {
      const isRefused = error instanceof WebhookVerificationError;
      options.onRefusal(isRefused ? error.reason : String(error));
      response.writeHead(isRefused ? 400 : 500).end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new AdministrationError(`Port ${options.port} is in use: choose another one with --port.`)
          : error,
      ),
    );
    server.listen(options.port, '127.0.0.1', resolve);
  });
  return {
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Undefined for a body that is larger than any event. */
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

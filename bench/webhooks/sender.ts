import pino from 'pino';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { readWebhookSettings } from '../../src/platform/config/webhookSettings.ts';
import { createDatabase } from '../../src/platform/database/database.ts';
import { createCipher } from '../../src/platform/encryption/cipher.ts';
import { createTargetRules } from '../../src/records/webhooks/targetRules.ts';
import { createDeliverer, type Deliverer } from '../../src/worker/deliverer/deliverer.ts';
import { signWebhook } from '../../src/worker/deliverer/signWebhook.ts';

/** A worker that only delivers, on request. As the baseline, it also posts without a database. */
const [databaseUrl = '', keyHex = ''] = process.argv.slice(2);
const logger = pino({ level: 'error' });
const settings = readWebhookSettings({});

const asked = z.discriminatedUnion('ask', [
  z.object({ ask: z.literal('start') }),
  z.object({ ask: z.literal('stop') }),
  z.object({ ask: z.literal('memory') }),
  z.object({
    ask: z.literal('post'),
    urls: z.array(z.string()),
    count: z.number(),
    body: z.string(),
    secret: z.string(),
  }),
]);
type Post = Extract<z.output<typeof asked>, { ask: 'post' }>;

const { pool } = createDatabase({
  url: databaseUrl,
  applicationName: 'deliverer',
  maxConnections: 4,
  logger,
});
let deliverer: Deliverer | undefined;

async function start(): Promise<void> {
  deliverer = await createDeliverer({
    pool,
    databaseUrl,
    cipher: createCipher([Buffer.from(keyHex, 'hex')]),
    settings,
    profile: 'default',
    rules: createTargetRules({ allowed: ['127.0.0.0/8'] }),
    logger,
  });
  await deliverer.ready;
}

/**
 * Signs each message again and posts to the receivers in turn, with as many posts under way to each as a
 * subscription may have.
 */
async function post({ urls, count, body, secret }: Post): Promise<number> {
  const agent = new Agent({ pipelining: 1 });
  const bytes = Buffer.from(body);
  const began = performance.now();
  const each = Math.floor(count / urls.length);
  const lanes = urls.flatMap((url) =>
    Array.from({ length: settings.perSubscription }, (_, at) => ({ url, at })),
  );
  await Promise.all(
    lanes.map(async ({ url, at }) => {
      for (let number = at; number < each; number += settings.perSubscription) {
        const secrets = { own: secret, all: [secret] } as const;
        const signed = signWebhook({
          eventId: 'evt_1',
          body: bytes,
          at: new Date(),
          secrets,
          profile: 'default',
        });
        const response = await request(url, {
          dispatcher: agent,
          method: 'POST',
          headers: { 'content-type': 'application/json', ...signed },
          body: bytes,
        });
        await response.body.dump();
      }
    }),
  );
  const seconds = (performance.now() - began) / 1_000;
  await agent.close();
  return Math.round((each * urls.length) / seconds);
}

/** Reports the process's memory and its processor time so far, which other processes do not affect. */
function reportMemory(): void {
  const { user, system } = process.cpuUsage();
  global.gc?.();
  const residentMb = Math.round(process.memoryUsage().rss / 1e6);
  process.send?.({ kind: 'memory', residentMb, cpuMs: (user + system) / 1_000 });
}

process.on('message', async (message) => {
  const request = asked.parse(message);
  if (request.ask === 'start') await start();
  if (request.ask === 'stop') await deliverer?.close();
  if (request.ask === 'post') process.send?.({ kind: 'anchor', perSecond: await post(request) });
  else reportMemory();
});
process.on('disconnect', async () => {
  await pool.end();
  process.exit(0);
});

import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import { createDatabase } from '../src/platform/database/database.ts';
import { migrateDatabase } from '../src/platform/database/migrateDatabase.ts';
import { createSigningSecret } from '../src/records/webhooks/secrets.ts';
import { exampleBody, fillBacklog, seedPrincipal, subscribeAll } from './webhooks/backlog.ts';
import {
  anchorReport,
  countReport,
  memoryReport,
  type Part,
  receiversReport,
  startPart,
} from './webhooks/messages.ts';

const eventsEach = 100;
const pollMs = 50;

export type WebhookRound = {
  /** Posts per second without a database, by the same process to the same receivers, before the round. */
  anchorPerSecond: number;
  /**
   * Deliveries per second to the quick receivers: alone, and then while one subscription is dead and another
   * one slow.
   */
  alonePerSecond: number;
  disturbedPerSecond: number;
  /**
   * Processor time of the sending process, in microseconds, for a post of the baseline and for a delivery.
   */
  anchorCpuUs: number;
  aloneCpuUs: number;
  /** Memory of the delivering process after each of the two. */
  residentMb: number[];
};

/**
 * Deliveries per second from a backlog to many receivers on this machine. Each round measures the baseline,
 * then the deliveries alone, then the deliveries while another receiver is dead and one is slow. Each round
 * has its own database, receivers and delivering process.
 */
export async function measureDeliveries(options: {
  databaseUrl: string;
  receivers: number;
  rounds: number;
  nodeFlags: readonly string[];
  onProgress(message: string): void;
}): Promise<WebhookRound[]> {
  const { databaseUrl, receivers: count, rounds, nodeFlags, onProgress } = options;
  await migrateDatabase(databaseUrl);
  const logger = pino({ level: 'error' });
  const { pool, close } = createDatabase({
    url: databaseUrl,
    applicationName: 'bench',
    maxConnections: 2,
    logger,
  });
  const key = randomBytes(32);
  const receivers = startPart('receivers.ts', [String(count)]);
  const sender = startPart('sender.ts', [databaseUrl, key.toString('hex')], ['--expose-gc', ...nodeFlags]);
  try {
    const { urls, slowUrl, deadUrl } = await receivers.ask({ ask: 'urls' }, receiversReport);
    await seedPrincipal(pool);
    const quick = await subscribeAll(pool, { urls, key });
    const broken = await subscribeAll(pool, { urls: [slowUrl, deadUrl], key });

    const drain = async (subscriptions: readonly string[]) => {
      await fillBacklog(pool, { subscriptions, events: eventsEach });
      await receivers.ask({ ask: 'reset' }, countReport);
      const before = await sender.ask({ ask: 'memory' }, memoryReport);
      await sender.ask({ ask: 'start' }, memoryReport);
      const { firstAt, lastAt } = await awaitCount(receivers, urls.length * eventsEach);
      const after = await sender.ask({ ask: 'stop' }, memoryReport);
      const { residentMb } = await sender.ask({ ask: 'memory' }, memoryReport);
      await pool.query(
        `update service.deliveries set status = 'failed' where status in ('pending', 'retry_pending')`,
      );
      const total = urls.length * eventsEach;
      return {
        perSecond: Math.round((total * 1_000) / (lastAt - firstAt)),
        cpuUs: Math.round(((after.cpuMs - before.cpuMs) * 1_000) / total),
        residentMb,
      };
    };

    const results: WebhookRound[] = [];
    for (let round = 0; round <= rounds; round++) {
      const post = {
        ask: 'post',
        urls,
        count: urls.length * eventsEach,
        body: exampleBody,
        secret: createSigningSecret(),
      };
      const before = await sender.ask({ ask: 'memory' }, memoryReport);
      const { perSecond: anchorPerSecond } = await sender.ask(post, anchorReport);
      const after = await sender.ask({ ask: 'memory' }, memoryReport);
      const order = round % 2 === 0 ? [quick, [...quick, ...broken]] : [[...quick, ...broken], quick];
      const drained = [];
      for (const subscriptions of order) drained.push(await drain(subscriptions));
      const [alone, disturbed] = round % 2 === 0 ? drained : drained.toReversed();
      if (!alone || !disturbed) throw new Error('nothing was drained');
      const result = {
        anchorPerSecond,
        alonePerSecond: alone.perSecond,
        disturbedPerSecond: disturbed.perSecond,
        anchorCpuUs: Math.round(((after.cpuMs - before.cpuMs) * 1_000) / post.count),
        aloneCpuUs: alone.cpuUs,
        residentMb: drained.map(({ residentMb }) => residentMb),
      };
      onProgress(`${round === 0 ? 'warm-up' : `round ${round}`}: ${JSON.stringify(result)}`);
      if (round > 0) results.push(result);
    }
    return results;
  } finally {
    await sender.stop();
    await receivers.stop();
    await close();
  }
}

async function awaitCount(receivers: Part, expected: number) {
  for (;;) {
    const report = await receivers.ask({ ask: 'count' }, countReport);
    if (report.received >= expected) return report;
    await delay(pollMs);
  }
}

import pg from 'pg';
import type { Logger } from 'pino';

export type ListenOptions = {
  url: string;
  channels: readonly string[];
  onNotification(channel: string, payload: string): void;
  /** Called after each (re)connection: earlier notifications may have been lost. */
  onConnected(): void;
  logger: Logger;
};

export type Listener = { ready: Promise<void>; close(): Promise<void> };

const initialDelayMs = 100;
const longestDelayMs = 5_000;
/** Detects a dead peer that never answers: a listening connection sends nothing by itself. */
const probeIntervalMs = 10_000;

/**
 * Holds one listening connection, and always reconnects when it breaks. Notifications arrive at most once, so callers
 * also read the tables in `onConnected`.
 */
export function listen(options: ListenOptions): Listener {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let probe: NodeJS.Timeout | undefined;
  let delayMs = initialDelayMs;
  let closed = false;
  const { promise: ready, resolve: becomeReady } = Promise.withResolvers<void>();

  const connect = async () => {
    const candidate = new pg.Client({
      connectionString: options.url,
      application_name: 'agreements listener',
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
      keepAlive: true,
    });
    client = candidate;
    let lost = false;
    const lose = (error?: Error) => {
      if (lost || closed) return;
      lost = true;
      clearInterval(probe);
      options.logger.warn({ err: error, retryInMs: delayMs }, 'the listening database connection failed');
      candidate.end().catch(() => {});
      timer = setTimeout(connect, delayMs);
      delayMs = Math.min(delayMs * 2, longestDelayMs);
    };
    candidate.on('error', lose);
    candidate.on('end', () => lose());
    candidate.on('notification', ({ channel, payload }) => options.onNotification(channel, payload ?? ''));
    try {
      await candidate.connect();
      for (const channel of options.channels) await candidate.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      lose(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (closed) return;
    delayMs = initialDelayMs;
    probe = setInterval(() => candidate.query('select 1').catch(lose), probeIntervalMs);
    becomeReady();
    options.onConnected();
  };

  void connect();
  return {
    ready,
    async close() {
      closed = true;
      clearTimeout(timer);
      clearInterval(probe);
      await client?.end().catch(() => {});
    },
  };
}

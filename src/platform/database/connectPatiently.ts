import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { isDatabaseAway } from './isDatabaseAway.ts';
import { setUpSession } from './sessionSettings.ts';

const attemptTimeoutMs = 5_000;
const pauseMs = 500;

/** So that the database ends the session within a minute, and lets go of what it holds, where its client's host is gone without a word. */
const noticeEnd = { tcp_keepalives_idle: '30', tcp_keepalives_interval: '10', tcp_keepalives_count: '3' };

/**
 * Connects to a database that may still be starting, as it is when everything is started at once. What waiting cannot mend, a
 * wrong password for example, fails at once; whatever else, after `patienceMs`.
 */
export async function connectPatiently(options: {
  url: string;
  applicationName: string;
  /** 0 does not wait. */
  patienceMs: number;
  logger?: Logger | undefined;
}): Promise<pg.Client> {
  const { url, applicationName, patienceMs, logger } = options;
  const giveUpAt = performance.now() + patienceMs;
  for (let isFirst = true; ; isFirst = false) {
    const client = new pg.Client({
      connectionString: url,
      application_name: applicationName,
      connectionTimeoutMillis: attemptTimeoutMs,
    });
    try {
      await client.connect();
      await setUpSession(client, noticeEnd);
      return client;
    } catch (error) {
      await client.end().catch(() => {});
      if (!isDatabaseAway(error) || performance.now() + pauseMs > giveUpAt) throw error;
      if (isFirst) logger?.warn({ err: error, patienceMs }, 'the database is not there yet: waiting for it');
      await delay(pauseMs);
    }
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { inTime } from './inTime.ts';
import { isDatabaseAway } from './isDatabaseAway.ts';
import { refuseStandby } from './refuseStandby.ts';
import { noticeEnd, setUpSession } from './sessionSettings.ts';
import { keepAlive } from './silence.ts';

const attemptTimeoutMs = 5_000;
const pauseMs = 500;

/**
 * Connects to a database that may still be starting, or a standby that is not promoted yet. Permanent errors, such as a wrong password, fail at
 * once; all others fail after `patienceMs`.
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
      ...keepAlive,
    });
    // A connection that breaks while nobody asks it anything; whoever asks next learns of it.
    client.on('error', () => {});
    try {
      await client.connect();
      await inTime(refuseStandby(client), attemptTimeoutMs);
      await inTime(setUpSession(client, noticeEnd), attemptTimeoutMs);
      return client;
    } catch (error) {
      await client.end().catch(() => {});
      if (!isDatabaseAway(error) || performance.now() + pauseMs > giveUpAt) throw error;
      if (isFirst) logger?.warn({ err: error, patienceMs }, 'the database is not available yet; waiting');
      await delay(pauseMs);
    }
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { PublicRoute } from '../createApp.ts';
import { writeJson } from '../writeJson.ts';

const patienceMs = 2_000;

/** Whether this process can serve: `ok`, or `unavailable` with 503 while the database does not answer. */
export function healthRoute(pool: pg.Pool): PublicRoute {
  return {
    path: '/v0/health',
    async serve(context) {
      const timeout = delay(patienceMs, false, { ref: false });
      const isUp = await Promise.race([pool.query('select 1').then(isTrue, isFalse), timeout]);
      const body = {
        status: isUp ? 'ok' : 'unavailable',
        service: 'agreements',
        timestamp: new Date().toISOString(),
      };
      return writeJson({
        status: isUp ? 200 : 503,
        requestId: context.get('requestId'),
        text: JSON.stringify(body),
      });
    },
  };
}

const isTrue = () => true;
const isFalse = () => false;

import type pg from 'pg';
import { createDatabaseProbe } from '../../operations/databaseProbe.ts';
import type { PublicRoute } from '../createApp.ts';
import { writeJson } from '../writeJson.ts';

/** Whether this process can serve: `ok`, or `unavailable` with 503 while the database does not answer. */
export function healthRoute(pool: pg.Pool): PublicRoute {
  const doesAnswer = createDatabaseProbe(pool);
  return {
    path: '/v0/health',
    async serve(context) {
      const isUp = await doesAnswer();
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

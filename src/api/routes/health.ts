import { z } from '@hono/zod-openapi';
import type pg from 'pg';
import { writeJson } from '../../platform/http/writeJson.ts';
import { createDatabaseProbe } from '../../platform/operations/databaseProbe.ts';
import { commonHeaders } from '../endpoint/responseHeaders.ts';
import type { PublicRoute } from '../http/createApp.ts';

const healthShape = z
  .object({ status: z.enum(['ok', 'unavailable']), service: z.string(), timestamp: z.iso.datetime() })
  .openapi('Health');
const content = { 'application/json': { schema: healthShape } };

/** Whether this process can serve: `ok`, or `unavailable` with 503 while the database does not answer or takes no writes. */
export function healthRoute(pool: pg.Pool): PublicRoute {
  const doesAnswer = createDatabaseProbe(pool);
  return {
    path: '/v0/health',
    documentation: {
      operationId: 'getHealth',
      tags: ['System'],
      summary: 'Check the health of the service',
      responses: {
        200: { description: 'The service is healthy.', headers: commonHeaders, content },
        503: { description: 'The database is unavailable.', headers: commonHeaders, content },
      },
    },
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

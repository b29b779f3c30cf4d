import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { idempotencyHeader } from '../idempotency/idempotencyKey.ts';
import type { AppEnv } from './appEnv.ts';
import { chooseRequestId } from './requestId.ts';

/** How long a browser may remember what it was allowed; none remembers longer than two hours. */
const rememberedSeconds = 7_200;

const sentHeaders = ['X-API-Key', 'Authorization', 'Content-Type', idempotencyHeader, 'X-Request-Id'];
const readHeaders = [
  'X-Request-Id',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Idempotency-Replayed',
  'ETag',
];

/**
 * Lets pages of these origins call the service from a browser; `*` stands for all of them. Credentials of the browser are never
 * taken: the API key is sent by the page.
 */
export function createCrossOrigin(origins: readonly string[]): MiddlewareHandler<AppEnv> {
  const handle = cors({
    origin: origins.includes('*') ? '*' : [...origins],
    allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: sentHeaders,
    exposeHeaders: readHeaders,
    maxAge: rememberedSeconds,
  });
  return async (context, next) => {
    const preflight = await handle(context, next);
    preflight?.headers.set('x-request-id', chooseRequestId(context.req.raw.headers.get('x-request-id')));
    return preflight;
  };
}

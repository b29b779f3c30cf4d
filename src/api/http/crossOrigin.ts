import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { chooseRequestId } from '../../platform/http/requestId.ts';
import type { AppEnv } from '../endpoint/appEnv.ts';

/** How long a browser may cache the permission; no browser caches longer than two hours. */
const rememberedSeconds = 7_200;

const readHeaders = [
  'X-Request-Id',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Idempotency-Replayed',
  'ETag',
];

/**
 * Lets pages of these origins call the service from a browser; `*` stands for all. The browser's credentials
 * are never accepted: the page sends the API key.
 */
export function createCrossOrigin(origins: readonly string[]): MiddlewareHandler<AppEnv> {
  const handle = cors({
    origin: origins.includes('*') ? '*' : [...origins],
    allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    // All headers: tracing and clients add their own, and none of them authenticates anybody.
    allowHeaders: [],
    exposeHeaders: readHeaders,
    maxAge: rememberedSeconds,
  });
  return async (context, next) => {
    const preflight = await handle(context, next);
    preflight?.headers.set('x-request-id', chooseRequestId(context.req.raw.headers.get('x-request-id')));
    return preflight;
  };
}

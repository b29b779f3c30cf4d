import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { chooseRequestId } from '../../platform/http/requestId.ts';
import type { AppEnv } from '../endpoint/appEnv.ts';

/** How long a browser may remember what it was allowed; none remembers longer than two hours. */
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
 * Lets pages of these origins call the service from a browser; `*` stands for all of them. Credentials of the browser are never
 * taken: the API key is sent by the page.
 */
export function createCrossOrigin(origins: readonly string[]): MiddlewareHandler<AppEnv> {
  const handle = cors({
    origin: origins.includes('*') ? '*' : [...origins],
    allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    // Whatever the page asks to send: tracing and clients add headers of their own, and none of them lets anybody in.
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

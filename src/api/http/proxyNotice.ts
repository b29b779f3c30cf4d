import type { MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import type { AppEnv } from '../endpoint/appEnv.ts';
import { findClient } from '../endpoint/clientAddress.ts';

/** Warns once if requests come through a proxy although none is configured: all of its clients share their limits. */
export function createProxyNotice(logger: Logger): MiddlewareHandler<AppEnv> {
  let isTold = false;
  return (context, next) => {
    if (!isTold && context.req.raw.headers.has('x-forwarded-for') && findClient(context, 0) === undefined) {
      isTold = true;
      logger.warn(
        'requests come through a proxy, but TRUSTED_PROXIES is 0: set it, or the clients of the proxy share their limits',
      );
    }
    return next();
  };
}

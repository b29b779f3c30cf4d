import type { MiddlewareHandler } from 'hono';
import { traceEntry } from '../../platform/tracing/tracing.ts';
import type { AppEnv } from '../endpoint/appEnv.ts';
import { methods } from './measureRequests.ts';

/** Polled by balancers. */
const healthPath = '/v0/health';

/**
 * Makes each request except health checks a span, named by its documented route, in the caller's trace or a
 * new one.
 */
export function createRequestTracing(): MiddlewareHandler<AppEnv> {
  return (context, next) => {
    const { req } = context;
    if (req.path === healthPath) return next();
    const method = methods.has(req.method) ? req.method : '_OTHER';
    const traceParent = req.raw.headers.get('traceparent');
    const attributes = { 'http.request.method': method, 'url.scheme': 'http' };
    return traceEntry({ name: method, kind: 'SERVER', traceParent, attributes }, async (span) => {
      await next();
      const route = context.get('route')?.replaceAll(/:(\w+)/g, '{$1}');
      const { status } = context.res;
      if (route !== undefined) span.rename(`${method} ${route}`);
      span.note({
        'http.route': route,
        'http.response.status_code': status,
        'agreements.request.id': context.get('requestId'),
        'agreements.principal.id': context.get('principalId'),
        ...(status >= 500 && { 'error.type': String(status) }),
      });
    });
  };
}

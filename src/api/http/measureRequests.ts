import type { MiddlewareHandler } from 'hono';
import type { Metrics } from '../../platform/operations/metrics.ts';
import type { AppEnv } from '../endpoint/appEnv.ts';

/** All unknown methods count as one. */
export const methods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'PUT']);

/** Counts and times every request by its documented route; paths without a route count as one. */
export function createRequestMeasure({ noteRequest }: Metrics): MiddlewareHandler<AppEnv> {
  return async (context, next) => {
    const startedAt = performance.now();
    await next();
    const { method } = context.req;
    noteRequest({
      method: methods.has(method) ? method : 'other',
      route: context.get('route') ?? 'none',
      status: context.res.status,
      seconds: (performance.now() - startedAt) / 1000,
    });
  };
}

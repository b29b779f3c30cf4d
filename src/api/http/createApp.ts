import type { RouteConfig } from '@hono/zod-openapi';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { describeError, errorResponse } from '../../platform/http/errorResponse.ts';
import { MethodNotAllowedError, UnknownRouteError } from '../../platform/http/requestErrors.ts';
import { chooseRequestId } from '../../platform/http/requestId.ts';
import type { AppEnv } from '../endpoint/appEnv.ts';
import type { Endpoint } from '../endpoint/defineEndpoint.ts';
import type { ServeContext } from '../endpoint/serveEndpoint.ts';
import { logFailure } from './logFailure.ts';

export type App = Hono<AppEnv>;

type Handler = (context: Context<AppEnv>) => Promise<Response> | Response;

/** A route outside the envelopes, such as health: for GET, public, and with its own answer. */
export type PublicRoute = {
  readonly path: `/v0/${string}`;
  readonly documentation: Omit<RouteConfig, 'method' | 'path' | 'security'>;
  readonly serve: Handler;
};

/** A route to files for browsers: for GET, public, and no part of the API. */
export type StaticRoute = { readonly path: string; readonly serve: Handler };
/** A route with its own protocol, for all methods. */
export type ForeignRoute = { readonly path: `/${string}`; readonly serve: Handler };

export type AppParts = ServeContext & {
  readonly endpoints: readonly Endpoint[];
  readonly publicRoutes: readonly PublicRoute[];
  readonly staticRoutes: readonly StaticRoute[];
  readonly foreignRoutes: readonly ForeignRoute[];
  /** Middleware around every request, also requests without a route. */
  readonly middlewares: readonly MiddlewareHandler<AppEnv>[];
};

const foreignMethods = ['GET', 'POST', 'DELETE'];

type MountedRoute = { method: string; path: string; serve: Handler };

/** Combines routes into the application. Starts nothing, and needs no closing. */
export function createApp({
  endpoints,
  publicRoutes,
  staticRoutes,
  foreignRoutes,
  middlewares,
  ...serveContext
}: AppParts): App {
  const { logger } = serveContext;
  const app: App = new Hono();
  for (const middleware of middlewares) app.use(middleware);
  mount(app, [
    ...[...publicRoutes, ...staticRoutes].map(({ path, serve }) => ({ method: 'GET', path, serve })),
    ...foreignRoutes.flatMap(({ path, serve }) =>
      [path, `${path}/`].flatMap((each) => foreignMethods.map((method) => ({ method, path: each, serve }))),
    ),
    ...endpoints.map(({ method, path, serve }) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      serve: (context: Context<AppEnv>) => serve(context, serveContext),
    })),
  ]);
  const fail = (error: Error, context: Context<AppEnv>) => {
    const requestId = context.get('requestId') ?? readRequestId(context);
    const description = describeError(error);
    logFailure({ logger, context, requestId, error, description });
    return errorResponse(description, requestId);
  };
  app.notFound((context) => fail(new UnknownRouteError('The route does not exist.'), context));
  app.onError(fail);
  return app;
}

/**
 * Paths with more fixed segments before their first parameter come first, so that no fixed segment is ever
 * taken for an id.
 */
function mount(app: App, routes: readonly MountedRoute[]): void {
  const byPath = Map.groupBy(routes, ({ path }) => path);
  const paths = [...byPath].toSorted(([a], [b]) => fixedLength(b) - fixedLength(a));
  for (const [path, atPath] of paths) {
    const byMethod = new Map(
      atPath.flatMap(({ method, serve }) =>
        (method === 'GET' ? ['GET', 'HEAD'] : [method]).map((each) => [each, serve]),
      ),
    );
    // One handler for all methods: if several match, Hono runs each request through all of them.
    app.all(path, async (context) => {
      context.set('route', path);
      const { method } = context.req;
      const serve = byMethod.get(method);
      if (!serve) throw new MethodNotAllowedError([...byMethod.keys()]);
      context.set('requestId', readRequestId(context));
      const response = await serve(context);
      // Nobody reads the body of this answer; a stream would never release its place.
      if (method === 'HEAD') await response.body?.cancel();
      return response;
    });
  }
}

function fixedLength(path: string): number {
  const parameter = path.indexOf(':');
  return parameter === -1 ? Number.MAX_SAFE_INTEGER : parameter;
}

function readRequestId(context: Context<AppEnv>): string {
  return chooseRequestId(context.req.raw.headers.get('x-request-id'));
}

import { type RouteConfig, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { ClientProfile } from '../config/clientProfile.ts';
import type { AppEnv } from './appEnv.ts';
import { describeEndpoint } from './describeEndpoint.ts';
import type { EndpointDefinition } from './endpointDefinition.ts';
import type { Example } from './example.ts';
import { buildServe, type ServeContext } from './serveEndpoint.ts';

/** One route of the service: what is documented of it, and how it is served. */
export type Endpoint = {
  readonly method: RouteConfig['method'];
  readonly path: string;
  readonly operationId: string;
  readonly example: Example;
  /** How clients of this profile find it documented. */
  describe(profile: ClientProfile): RouteConfig;
  serve(context: Context<AppEnv>, serving: ServeContext): Promise<Response>;
};

/** For a path without parameters, and for a route that takes none in its query. */
export const none = z.strictObject({});
/** For a route that reads no body; one that is sent nevertheless is not looked at. */
export const noBody = z.undefined();

/**
 * Makes an endpoint out of its declaration. The same schemas document and check: access first, then query, path and body, each
 * with all of its faults at once. Values that a body's schema leaves unknown reach the handler just as they were parsed.
 */
export function defineEndpoint<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  definition: EndpointDefinition<Params, Query, Body>,
): Endpoint {
  const { method, path, operationId, example } = definition;
  return {
    method,
    path,
    operationId,
    example,
    describe: (profile) => describeEndpoint(definition, profile),
    serve: buildServe(definition),
  };
}

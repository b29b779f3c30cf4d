import { type RouteConfig, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { ClientProfile } from '../../platform/config/clientProfile.ts';
import type { AppEnv } from './appEnv.ts';
import { describeEndpoint, describeOpenEndpoint } from './describeEndpoint.ts';
import { buildDirectCall, type DirectCall } from './directCall.ts';
import type { EndpointDefinition, OpenEndpointDefinition } from './endpointDefinition.ts';
import type { Example } from './example.ts';
import { buildOpenServe, buildServe, type ServeContext } from './serveEndpoint.ts';

/** One route of the service: its documentation and its handler. */
export type Endpoint = {
  readonly method: RouteConfig['method'];
  readonly path: string;
  readonly operationId: string;
  readonly example: Example;
  describe(profile: ClientProfile): RouteConfig;
  serve(context: Context<AppEnv>, serving: ServeContext): Promise<Response>;
  /** Runs it for a caller within the service; undefined for routes of guests and browsers. */
  readonly call?: DirectCall;
};

/** For a path without parameters, and for a route without query parameters. */
export const none = z.strictObject({});
/** For a route that reads no body; a body sent nevertheless is ignored. */
export const noBody = z.undefined();

/**
 * Builds an endpoint from its declaration. The same schemas document and check: access first, then query,
 * path and body, each with all of its faults at once. Values that a body's schema leaves unknown reach the
 * handler as parsed.
 */
export function defineEndpoint<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Ahead,
>(definition: EndpointDefinition<Params, Query, Body, Ahead>): Endpoint {
  const { method, path, operationId, example } = definition;
  return {
    method,
    path,
    operationId,
    example,
    describe: (profile) => describeEndpoint(definition, profile),
    serve: buildServe(definition),
    call: buildDirectCall(definition),
  };
}

/** Builds an endpoint that authenticates its callers itself; otherwise like `defineEndpoint`. */
export function defineOpenEndpoint<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Admitted,
>(definition: OpenEndpointDefinition<Params, Query, Body, Admitted>): Endpoint {
  const { method, path, operationId, example } = definition;
  return {
    method,
    path,
    operationId,
    example,
    describe: (profile) => describeOpenEndpoint(definition, profile),
    serve: buildOpenServe(definition),
  };
}

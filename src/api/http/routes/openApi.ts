import { z } from '@hono/zod-openapi';
import type { Limits } from '../../config/limits.ts';
import type { App, PublicRoute } from '../createApp.ts';
import { describeLimits } from '../describeLimits.ts';
import { writeJson } from '../writeJson.ts';

const healthShape = z
  .object({ status: z.enum(['ok', 'unavailable']), service: z.string(), timestamp: z.iso.datetime() })
  .openapi('Health');

/** The OpenAPI 3.1 document of all routes, made of the schemas that check the requests. */
export function openApiRoute(
  app: () => App,
  settings: { publicBaseUrl: string; limits: Limits },
): PublicRoute {
  let text: string | undefined;
  return {
    path: '/v0/openapi.json',
    serve(context) {
      text ??= JSON.stringify(describeRoutes(app(), settings));
      return writeJson({ status: 200, requestId: context.get('requestId'), text });
    },
  };
}

function describeRoutes(app: App, { publicBaseUrl, limits }: { publicBaseUrl: string; limits: Limits }) {
  const { openAPIRegistry: registry } = app;
  registry.registerComponent('securitySchemes', 'apiKey', {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
  });
  registry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: 'The same API key as a bearer token. Other tokens are refused.',
  });
  const health = { 'application/json': { schema: healthShape } };
  registry.registerPath({
    method: 'get',
    path: '/v0/health',
    tags: ['System'],
    summary: 'Whether the service can serve',
    security: [],
    responses: {
      200: { description: 'It can.', content: health },
      503: { description: 'Its database does not answer.', content: health },
    },
  });
  registry.registerPath({
    method: 'get',
    path: '/v0/openapi.json',
    tags: ['System'],
    summary: 'This document',
    security: [],
    responses: {
      200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: z.looseObject({}) } } },
    },
  });
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Agreements service',
      version: 'v0',
      description: `Agreements that run as state machines on EVM chains: deploy them, move them, read them.\n\n${describeLimits(limits)}`,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: publicBaseUrl }],
  });
}

import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import type { ClientProfile } from '../../platform/config/clientProfile.ts';
import type { ChainConfiguration } from '../../platform/config/configuration.ts';
import type { Limits } from '../../platform/config/limits.ts';
import type { WebhookSettings } from '../../platform/config/webhookSettings.ts';
import type { Endpoint } from '../endpoint/defineEndpoint.ts';
import { failureComponents } from '../endpoint/describeFailure.ts';
import { errorShape } from '../endpoint/documentation.ts';
import { headerComponents } from '../endpoint/responseHeaders.ts';
import { tags } from '../endpoint/tags.ts';
import type { PublicRoute } from '../http/createApp.ts';
import { describeLimits, listLimits } from './describeLimits.ts';

export type ApiDocument = ReturnType<OpenAPIHono['getOpenAPI31Document']>;

export type ApiParts = {
  readonly endpoints: readonly Endpoint[];
  readonly publicRoutes: readonly PublicRoute[];
  /** The service's requests to subscribers: the path is the event's type. */
  readonly webhooks: readonly RouteConfig[];
  readonly publicBaseUrl: string;
  readonly limits: Limits;
  readonly webhookSettings: WebhookSettings;
  readonly chains: readonly ChainConfiguration[];
  readonly clientProfile: ClientProfile;
};

const securitySchemes = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The same API key as a bearer token. Other bearer tokens are rejected.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-agreements-session',
    description:
      'A browser session, opened with `POST /v0/sessions`. Every request must carry `X-Agreements-Session: 1` and come from a page served by this service. On loopback without TLS the cookie is named `agreements-session`.',
  },
  signingLink: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Agreements-Link',
    description: 'The secret of a signing link, taken from the fragment of its URL.',
  },
  walletSession: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-agreements-wallet',
    description: 'Like `session`, for a participant who signed in with a wallet.',
  },
} as const;

/** The OpenAPI 3.1 document of the API for clients of this profile, with the current limits. */
export function describeApi(parts: ApiParts): ApiDocument {
  const { endpoints, publicRoutes, webhooks, publicBaseUrl, clientProfile } = parts;
  const app = new OpenAPIHono();
  const { openAPIRegistry: registry } = app;
  for (const [name, scheme] of Object.entries(securitySchemes))
    registry.registerComponent('securitySchemes', name, scheme);
  for (const [name, header] of Object.entries(headerComponents))
    registry.registerComponent('headers', name, header);
  registry.register('ErrorBody', errorShape);
  const routes = endpoints.map((endpoint) => endpoint.describe(clientProfile));
  const referred = JSON.stringify(routes.map(({ responses }) => responses));
  for (const [name, response] of Object.entries(failureComponents))
    if (referred.includes(`"#/components/responses/${name}"`))
      registry.registerComponent('responses', name, response);
  for (const route of routes) registry.registerPath(withLinks(route, endpoints));
  for (const { path, documentation } of publicRoutes)
    registry.registerPath({ ...documentation, method: 'get', path, security: [] });
  for (const webhook of webhooks) registry.registerWebhook(webhook);
  const used = new Set([...routes, ...publicRoutes.map((route) => route.documentation)].flatMap(tagsOf));
  const named = Object.entries(tags).map(([name, description]) => ({ name, description }));
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Agreements service',
      version: 'v0',
      description: `${introduction}\n\n${describeLimits(parts)}`,
      'x-limits': listLimits(parts),
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: publicBaseUrl }],
    tags: named.filter(({ name }) => used.has(name)),
  });
}

const introduction = [
  'Agreements that run as state machines on EVM chains. Deploy them, advance them with signed inputs, and read them.',
  'A successful response has `data` and `meta`; a list also has `pageInfo`. A failed response has `error` with a stable `code`. If more is known, `error.details.reason` gives the cause and `error.details.issues` lists what to change.',
  'Every GET route also supports HEAD. An unsupported method returns 405 with `Allow`. An unknown path returns 404. Both return the error object.',
].join('\n\n');

const tagsOf = ({ tags: names = [] }: { tags?: string[] }) => names;

/** Adds links to the operations whose examples take values from this one's answer. */
function withLinks(route: RouteConfig, endpoints: readonly Endpoint[]): RouteConfig {
  const following = endpoints.flatMap(({ operationId, example: { after = [] } }) => {
    const source = after.find((candidate) => candidate.operationId === route.operationId);
    if (!source) return [];
    const parameters = Object.fromEntries(
      Object.entries(source.params).map(([name, pointer]) => [name, `$response.body#${pointer}`]),
    );
    return [[operationId, { operationId, parameters }] as const];
  });
  if (following.length === 0) return route;
  const links = Object.fromEntries(following);
  const responses = Object.entries(route.responses).map(([status, response]) =>
    status.startsWith('2') ? [status, { ...response, links }] : [status, response],
  );
  return { ...route, responses: Object.fromEntries(responses) };
}

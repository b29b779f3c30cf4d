import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  isSpecType,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import type { Context } from 'hono';
import type pino from 'pino';
import type { Limits } from '../../platform/config/limits.ts';
import {
  AccessError,
  ForeignResourceError,
  MalformedError,
  NotFoundError,
} from '../../platform/errors/serviceError.ts';
import type { Caller } from '../authentication/authenticator.ts';
import type { AppEnv } from '../endpoint/appEnv.ts';
import { findClient } from '../endpoint/clientAddress.ts';
import type { Endpoint } from '../endpoint/defineEndpoint.ts';
import { readJsonBody } from '../endpoint/jsonBody.ts';
import { limitRate } from '../endpoint/limitRate.ts';
import type { ServeContext } from '../endpoint/serveEndpoint.ts';
import type { AgentCall } from './agentCall.ts';
import { buildMcpServer, type McpRequest, type McpSurface } from './buildMcpServer.ts';
import { refuseArguments } from './defineTool.ts';

export type McpRoute = {
  readonly path: `/mcp${string}`;
  serve(context: Context<AppEnv>): Promise<Response>;
};

type Serving = ServeContext & {
  readonly endpoints: readonly Endpoint[];
  readonly publicBaseUrl: string;
  readonly corsOrigins: readonly string[];
  readonly logger: pino.Logger;
};

/** Long-lived streams are not offered: none of the endpoint's lists changes. */
const endlessMethods: ReadonlySet<string | undefined> = new Set([
  'subscriptions/listen',
  'resources/subscribe',
]);

/**
 * Serves an endpoint for agents to callers with an API key, in the revision of 2026 and to clients of 2025. It keeps nothing between
 * requests, so that any replica can answer any of them.
 */
export function createMcpRoute(path: McpRoute['path'], surface: McpSurface, serving: Serving): McpRoute {
  const { authenticator, limits, rateLimiter, largeTurns, publicBaseUrl, corsOrigins, logger } = serving;
  const operations = new Map(serving.endpoints.map((endpoint) => [endpoint.operationId, endpoint]));
  /** The running requests, by the object that the library passes through with each. */
  const requests = new WeakMap<AuthInfo, McpRequest>();
  const handler: McpHttpHandler = createMcpHandler(
    ({ authInfo }) => {
      const request = authInfo && requests.get(authInfo);
      if (!request) throw new Error('a request of an agent without its caller');
      return buildMcpServer(surface, request);
    },
    {
      maxRequestBodySize: limits.bodyBytes,
      onerror: (error) => logger.debug({ err: error }, 'a request of an agent was not served'),
    },
  );

  const admit = (context: Context<AppEnv>, principalId: string, kind: 'read' | 'write') =>
    limitRate(context, { rateLimiter, rates: limits.rates, name: principalId, kind });

  const buildRequest = (
    context: Context<AppEnv>,
    { caller, isCounted }: { caller: Caller; isCounted: boolean },
  ): McpRequest => {
    const { principalId } = caller;
    const requestId = context.get('requestId');
    const check = () => authenticator.check(keyHeaders(context.req.raw.headers));
    const ask: AgentCall['ask'] = async (operationId, asked = {}) => {
      const endpoint = operations.get(operationId);
      if (!endpoint?.call) throw new Error(`there is no operation ${operationId} for agents`);
      await admit(context, principalId, endpoint.method === 'get' ? 'read' : 'write');
      // Each time: a tool asks again after it has waited, and others of the same batch may have waited.
      const current = await check();
      return endpoint.call({ ...asked, caller: current, check, requestId }, serving).catch(refuseAgent);
    };
    const count = async () => {
      if (!isCounted) await admit(context, principalId, 'read');
    };
    const reportFailure = (error: unknown) =>
      logger.error({ requestId, principalId, err: error }, 'a read beside the write of a tool failed');
    return { principalId, requestId, ask, count, reportFailure };
  };

  return {
    path,
    async serve(context) {
      const request = context.req.raw;
      requireKnownOrigin(request.headers, { publicBaseUrl, corsOrigins });
      const caller = await authenticator.authenticate(keyHeaders(request.headers), () =>
        findClient(context, limits.trustedProxies),
      );
      const { principalId, keyId } = caller;
      context.set('principalId', principalId);
      return largeTurns.run({ owner: principalId, headers: request.headers }, async () => {
        const parsedBody = await readMessages(request, limits).catch(async (error: unknown) => {
          await admit(context, principalId, 'read');
          throw error;
        });
        if (parsedBody instanceof MalformedError) {
          await admit(context, principalId, 'read');
          return answer(refuseText(parsedBody), context);
        }
        // A single tool call counts itself: exceeding the limit is a result for the agent. The answer to a batch would
        // repeat that result for each of its calls.
        const isCounted = !isToolCall(parsedBody);
        const messages = Array.isArray(parsedBody) && parsedBody.length > 0 ? parsedBody : [parsedBody];
        if (isCounted) for (const _ of messages) await admit(context, principalId, 'read');
        const authInfo: AuthInfo = { token: keyId, clientId: principalId, scopes: [] };
        requests.set(authInfo, buildRequest(context, { caller, isCounted }));
        if (parsedBody === undefined) return answer(await handler.fetch(request, { authInfo }), context);
        if (endlessMethods.has(methodOf(parsedBody))) {
          const isOf2025 = await isLegacyRequest(withoutBody(request), parsedBody);
          return answer(refuseMethod(parsedBody, isOf2025), context);
        }
        const response = await handler.fetch(withoutBody(request), {
          authInfo,
          parsedBody: dropNotifications(parsedBody),
        });
        // For its headers, say: the tool has not run, so it has not counted the call.
        if (!isCounted && !response.ok) await admit(context, principalId, 'read');
        return answer(response, context);
      });
    },
  };
}

/**
 * For agents, which may be led to try ids, another principal's record does not exist. And they know of arguments, not of the body
 * and the query of the operation behind their tool.
 */
function refuseAgent(error: unknown): never {
  if (error instanceof ForeignResourceError) throw new NotFoundError('The agreement does not exist.');
  if (error instanceof MalformedError && error.part !== undefined) throw refuseArguments(error.issues ?? []);
  throw error;
}

/**
 * Refuses pages of origins other than the service's own and the operator's allowed ones. Otherwise a hostile
 * page could reach a service on this machine through a name that resolves to it (DNS rebinding).
 *
 * @throws AccessError `forbidden`.
 */
function requireKnownOrigin(
  headers: Headers,
  { publicBaseUrl, corsOrigins }: { publicBaseUrl: string; corsOrigins: readonly string[] },
): void {
  const origin = headers.get('origin');
  if (origin === null || origin === new URL(publicBaseUrl).origin) return;
  if (corsOrigins.includes(origin) || corsOrigins.includes('*')) return;
  throw new AccessError(
    'forbidden',
    'This origin may not call the service. The operator can allow it in CORS_ORIGINS.',
  );
}

/** Only keys open this endpoint, never credentials that a browser adds by itself. */
function keyHeaders(headers: Headers): Headers {
  const shown = new Headers();
  for (const name of ['x-api-key', 'authorization']) {
    const value = headers.get(name);
    if (value !== null) shown.set(name, value);
  }
  if (shown.get('x-api-key') === null && shown.get('authorization') === null)
    throw new AccessError('unauthorized', 'Missing API key.');
  return shown;
}

/**
 * The parsed body, or why it is no JSON: a client of this protocol expects that as an error of the protocol. Undefined for a
 * request that needs none.
 */
async function readMessages(request: Request, { bodyBytes, bodyValues }: Limits): Promise<unknown> {
  if (request.method !== 'POST') return undefined;
  try {
    return await readJsonBody(request, { limitBytes: bodyBytes, limitValues: bodyValues });
  } catch (error) {
    if (error instanceof MalformedError) return error;
    throw error;
  }
}

/** The body has been read already, so only the rest of the request is passed on. */
function withoutBody({ url, headers, signal }: Request): Request {
  return new Request(url, { method: 'POST', headers, signal });
}

/** The method of a single request; undefined for a batch, and for an invalid request. */
function methodOf(body: unknown): string | undefined {
  const hasMethod = typeof body === 'object' && body !== null && 'method' in body;
  return hasMethod && typeof body.method === 'string' ? body.method : undefined;
}

/**
 * Whether this is one request that runs a tool; a notification runs none, nor does a request of another shape. The library's
 * own check of the shape passes over the state of an earlier answer, which must be text.
 */
function isToolCall(body: unknown): boolean {
  if (!isSpecType.JSONRPCRequest(body) || !isSpecType.CallToolRequest(body)) return false;
  const state = body.params?.requestState;
  return state === undefined || typeof state === 'string';
}

/**
 * A batch without its notifications, which mean nothing to a server that keeps nothing: the library would never end the
 * answer to a batch that cancels one of its own requests. A batch of notifications alone stays as it is.
 */
function dropNotifications(body: unknown): unknown {
  if (!Array.isArray(body)) return body;
  const kept = body.filter((message) => methodOf(message) === undefined || 'id' in message);
  return kept.length === 0 ? body : kept;
}

/** In the revision of 2026 with 404. To a client of 2025, that would mean that there is no endpoint, or that its session has ended. */
function refuseMethod(body: unknown, isOf2025: boolean): Response {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : null;
  const error = { code: -32_601, message: 'Method not found' };
  return Response.json({ jsonrpc: '2.0', id, error }, { status: isOf2025 ? 200 : 404 });
}

function refuseText({ message }: MalformedError): Response {
  const error = { code: -32_700, message: `Parse error: ${message}` };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 400 });
}

/** Includes the id by which the operator finds the request. */
function answer(response: Response, context: Context<AppEnv>): Response {
  const headers = new Headers(response.headers);
  headers.set('x-request-id', context.get('requestId'));
  const { status, body } = response;
  return new Response(body, { status, headers });
}

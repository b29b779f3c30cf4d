import { createRoute, type RouteConfig, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Logger } from 'pino';
import { type Authenticator, authorize, type Caller } from '../access/authenticator.ts';
import type { Scope } from '../access/scopes.ts';
import type { ClientProfile } from '../config/clientProfile.ts';
import type { Limits } from '../config/limits.ts';
import type { LogPosition } from '../database/reads.ts';
import { type Place, parseShape } from '../errors/parseShape.ts';
import { type Issue, MalformedError, type Reason } from '../errors/serviceError.ts';
import { idempotencyHeader } from '../idempotency/idempotencyKey.ts';
import type { IdempotencyStore } from '../idempotency/idempotencyStore.ts';
import type { RateLimiter } from '../limiting/rateLimiter.ts';
import { answerOnce } from './answerOnce.ts';
import type { AppEnv } from './appEnv.ts';
import { findClient } from './clientAddress.ts';
import { buildResponses, type DataShape } from './documentation.ts';
import type { ErrorStatus } from './errorResponse.ts';
import { type Example, showExample } from './example.ts';
import { readBodyBytes, readJsonBody } from './jsonBody.ts';
import { limitRate } from './limitRate.ts';
import { readQuery } from './readQuery.ts';
import { listUnfit } from './textFitness.ts';

/** A request whose caller is known and entitled, and whose parts have the shapes that the endpoint declares. */
export type EndpointRequest<Params, Query, Body> = {
  readonly caller: Caller;
  readonly requestId: string;
  readonly headers: Headers;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** What a read has to show beside what it finds. */
  readonly readAfter: LogPosition;
};

/** The groups of routes, in the order of the document. */
export const tags = {
  Authoring: 'Writing an agreement, and checking it before anything is signed.',
  Deployment: 'Bringing an agreement onto a chain, or taking over one that is there.',
  'Using agreements': 'Moving a deployed agreement by signed inputs.',
  'Agreement records': 'What became of the agreements of a principal.',
  'Agreement documents': 'The prose of agreements.',
  Webhooks: 'Being told of what happens, as it happens.',
  Events: 'The same, asked for.',
  System: 'The service itself; public.',
} as const;
export type Tag = keyof typeof tags;

type Definition<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> = {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly path: `/v0/${string}`;
  /** What generated clients call it. It is unique and stays as it is. */
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly scope: Scope;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Turns the faults of a body into the error to throw; without it they are those of a malformed request. */
  readonly refuseBody?: (issues: Issue[], body: unknown) => Error;
  readonly data: DataShape;
  /** The statuses of the refusals that this endpoint adds to those of every endpoint. */
  readonly refusals: readonly ErrorStatus[];
  /** The reasons that its refusals can have; their statuses need not be named among the refusals. */
  readonly reasons?: readonly Reason[];
  /** A request that works as it stands; tests carry it out. */
  readonly example: Example;
  handle(
    request: EndpointRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
  ): Promise<Response> | Response;
};

export type ServeContext = {
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly idempotency: IdempotencyStore;
  readonly limits: Limits;
  readonly clientProfile: ClientProfile;
  readonly logger: Logger;
  /** Resolves once reads after the position that it gives show what a principal's token names. */
  awaitConsistency(token: { consistency: string; principalId: string }): Promise<LogPosition>;
};

/** One route of the service: what is documented of it, and how it is served. */
export type Endpoint = {
  readonly method: RouteConfig['method'];
  readonly path: string;
  readonly operationId: string;
  readonly example: Example;
  /** How clients of this profile find it documented. */
  describe(profile: ClientProfile): RouteConfig;
  serve(context: Context<AppEnv>, serveContext: ServeContext): Promise<Response>;
};

/** For a path without parameters, and for a route that takes none in its query. */
export const none = z.strictObject({});
/** For a route that reads no body; one that is sent nevertheless is not looked at. */
export const noBody = z.undefined();

const keyHeaders = z.object({
  [idempotencyHeader]: z.string().optional().openapi({
    description:
      'Makes the request safe to send again: for 24 hours it is answered with what it was first answered with, unless that was a server error.',
    example: '8e03978e-40d5-43e6-bc93-6894a57f9324',
  }),
});

/** What every read takes. */
const readParameters = {
  consistency: z.string().optional().openapi({
    description:
      'The tokens that writes have answered with, with commas between them: the read waits until it shows what they have written, and answers with 503 where that takes too long.',
  }),
};

/** The agreement stands one level below the body that carries it. */
const levelsAboveAgreement = 1;

/**
 * Makes an endpoint out of its declaration. The same schemas document and check: access first, then path, query and body, each
 * with all of its faults at once. Values that a body's schema leaves unknown reach the handler just as they were parsed.
 */
export function defineEndpoint<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  definition: Definition<Params, Query, Body>,
): Endpoint {
  const { method, path, operationId, example } = definition;
  const { params, query, body, scope, refuseBody = malformedBody } = definition;
  const hasBody = !(body instanceof z.ZodUndefined);
  const isBodyOptional = body instanceof z.ZodOptional;
  const isRead = method === 'get';
  const documentedQuery = isRead ? query.extend(readParameters) : query;
  const refusals: ErrorStatus[] = isRead ? [503] : method === 'post' ? [409] : [];

  /** What a request without a query asks for, which is always the same. */
  let defaults: z.output<Query> | undefined;
  const findDefaults = () => {
    if (defaults !== undefined) return defaults;
    const found = check(query, {}, 'query');
    Object.freeze(found);
    defaults = found;
    return found;
  };

  const parseQuery = (url: string): { consistency?: string | undefined; values: z.output<Query> } => {
    if (!url.includes('?')) return { values: findDefaults() };
    const sent = readQuery(url);
    if (!isRead) return { values: check(query, sent, 'query') };
    const { consistency } = sent;
    delete sent.consistency;
    return { consistency, values: check(query, sent, 'query') };
  };

  const readBody = async (
    request: Request,
    { limits, bytes }: { limits: Limits; bytes: Uint8Array | undefined },
  ): Promise<z.output<Body>> => {
    const limitBytes = limits.bodyBytes;
    const sent = isBodyOptional ? (bytes ?? (await readBodyBytes(request, limitBytes))) : bytes;
    const isLeftOut = isBodyOptional && sent?.byteLength === 0;
    const value = isLeftOut ? undefined : await readJsonBody(request, { limitBytes, bytes: sent });
    const unfit = listUnfit(value, limits.agreementNesting + levelsAboveAgreement);
    if (unfit.length > 0) throw refuseBody(unfit, value);
    const parsed = parseShape(body, value, 'body');
    if (parsed.ok) return parsed.data;
    throw refuseBody(parsed.issues, value);
  };

  return {
    method,
    path,
    operationId,
    example,
    describe: (profile) =>
      createRoute({
        method,
        path,
        operationId,
        tags: [definition.tag],
        summary: definition.summary,
        description: describeUse(definition),
        security: [{ apiKey: [] }, { bearer: [] }],
        request: {
          params: showExample(params, example.params),
          query: showExample(documentedQuery, example.query),
          ...(method === 'post' && { headers: keyHeaders }),
          ...(hasBody && {
            body: {
              required: !isBodyOptional,
              content: { 'application/json': { schema: body, example: example.body } },
            },
          }),
        },
        responses: buildResponses({
          method,
          data: definition.data,
          successStatus: successStatus(method, profile),
          refusals: [...definition.refusals, ...refusals],
          reasons: definition.reasons ?? [],
        }),
      }),
    async serve(context, serving) {
      const { req } = context;
      const { limits } = serving;
      const caller = await serving.authenticator.authenticate(req.raw.headers, () =>
        findClient(context, limits.trustedProxies),
      );
      const { principalId } = caller;
      context.set('principalId', principalId);
      await limitRate(context, { rateLimiter: serving.rateLimiter, rates: limits.rates, principalId });
      authorize(caller, scope);
      const handle = async (bytes?: Uint8Array) => {
        const { consistency, values } = parseQuery(req.url);
        const request = {
          caller,
          requestId: context.get('requestId'),
          headers: req.raw.headers,
          params: check(params, req.param(), 'path'),
          query: values,
          body: hasBody ? await readBody(req.raw, { limits, bytes }) : check(body, undefined, 'body'),
        };
        const readAfter =
          consistency === undefined
            ? undefined
            : await serving.awaitConsistency({ consistency, principalId });
        const response = await definition.handle({ ...request, readAfter });
        return answerAs(successStatus(method, serving.clientProfile), response);
      };
      if (method !== 'post') return handle();
      return answerOnce(context, { ...serving, principalId }, handle);
    },
  };
}

/** What a caller has to be entitled to, and what it may do with the route. */
function describeUse({ description, scope }: { description?: string; scope: Scope }): string {
  const need = `Needs the scope \`${scope}\`.`;
  return description === undefined ? need : `${description}\n\n${need}`;
}

function successStatus(method: string, profile: ClientProfile): 200 | 201 {
  return method === 'post' && profile === 'shodai' ? 201 : 200;
}

/** Handlers answer with 200 for success. */
async function answerAs(status: 200 | 201, response: Response): Promise<Response> {
  if (response.status !== 200 || status === 200) return response;
  return new Response(await response.text(), { status, headers: response.headers });
}

function check<Shape extends z.ZodType>(shape: Shape, value: unknown, place: Place): z.output<Shape> {
  const parsed = parseShape(shape, value, place);
  if (parsed.ok) return parsed.data;
  throw new MalformedError(`The ${place} is not as expected.`, { issues: parsed.issues });
}

function malformedBody(issues: Issue[]): Error {
  return new MalformedError('The body is not as expected.', { issues });
}

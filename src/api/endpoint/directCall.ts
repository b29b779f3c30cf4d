import { z } from '@hono/zod-openapi';
import { authorize, type Caller } from '../authentication/authenticator.ts';
import type { BeginComputing } from '../limiting/largeTurns.ts';
import { awaitWrites } from './awaitWrites.ts';
import { awaitAnswer, type EndpointDefinition, type EndpointRequest } from './endpointDefinition.ts';
import { lookAgain } from './lookAgain.ts';
import { buildRequestReader } from './requestReader.ts';
import { requireServed, type ServeContext } from './serveEndpoint.ts';

/** A request that does not come through its own route. */
export type DirectRequest = {
  readonly caller: Caller;
  /** Recognises the caller again, after a wait. */
  check(): Promise<Caller>;
  readonly requestId: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The tokens of earlier writes that a read must show. */
  readonly consistency?: string | undefined;
};

const answerShape = z.object({
  data: z.unknown(),
  pageInfo: z.object({ nextCursor: z.string().nullable(), totalCount: z.int().optional() }).optional(),
  meta: z.object({ consistency: z.string().optional(), warnings: z.array(z.string()).optional() }),
});
export type DirectAnswer = z.output<typeof answerShape>;

export type DirectCall = (request: DirectRequest, serving: ServeContext) => Promise<DirectAnswer>;

/**
 * Runs an endpoint for an authenticated caller, with the checks of its route in the same order: scope, query,
 * path, body, handler. The caller of this function counts the request against the rate limits.
 * Idempotency-Keys are not supported.
 *
 * @throws ServiceError as the route would refuse it.
 */
export function buildDirectCall<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Ahead,
>(definition: EndpointDefinition<Params, Query, Body, Ahead>): DirectCall {
  const { isHeavy, mayBeLarge, data } = definition;
  const reader = buildRequestReader(definition);
  const takesChain = 'chainId' in definition.query.shape;
  return async ({ caller, check, requestId, params = {}, query = {}, body, consistency }, serving) => {
    authorize(caller, definition);
    const { principalId } = caller;
    const values = reader.checkQuery(query);
    if (takesChain) requireServed(values, serving.chains);
    const headers = new Headers();
    const requireAccess = lookAgain(async () => authorize(await check(), definition));
    const prepare = async (): Promise<
      EndpointRequest<z.output<Params>, z.output<Query>, z.output<Body>>
    > => ({
      requestId,
      headers,
      params: reader.parseParams(params),
      query: values,
      body: await reader.checkBody(body, serving.limits),
      ...(await awaitWrites({
        caller,
        consistency,
        access: definition,
        check,
        awaitConsistency: serving.awaitConsistency,
      })),
      inPageTurn: (read, options) => serving.pageTurns.run(principalId, read, options),
      requireAccess,
      disconnect() {},
    });
    const handle = async (request: Awaited<ReturnType<typeof prepare>>) => {
      await requireAccess();
      return definition.handle(request);
    };
    const readInTurn = async () => {
      // Waits before its turn: others of the principal need not wait for the same write.
      const request = await prepare();
      return serving.pageTurns.run(principalId, () => handle(request));
    };
    const run = async (compute: BeginComputing) => {
      const request = await prepare();
      await compute();
      return handle(request);
    };
    const handled = await (data.isList || mayBeLarge
      ? readInTurn()
      : serving.largeTurns.run({ owner: principalId, headers, isHeavy }, run));
    const response = await awaitAnswer(handled);
    return answerShape.parse(await response.json());
  };
}

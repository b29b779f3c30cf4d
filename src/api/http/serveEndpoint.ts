import type { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Logger } from 'pino';
import { type Authenticator, authorize } from '../access/authenticator.ts';
import type { ClientProfile } from '../config/clientProfile.ts';
import type { Limits } from '../config/limits.ts';
import type { LogPosition } from '../database/reads.ts';
import type { IdempotencyStore } from '../idempotency/idempotencyStore.ts';
import type { RateLimiter } from '../limiting/rateLimiter.ts';
import { answerOnce } from './answerOnce.ts';
import type { AppEnv } from './appEnv.ts';
import { findClient } from './clientAddress.ts';
import type { EndpointDefinition } from './endpointDefinition.ts';
import { limitRate } from './limitRate.ts';
import { buildRequestReader } from './requestReader.ts';
import { successStatus } from './successStatus.ts';

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

/** Serves an endpoint: access first, then query, path and body, each with all of its faults at once. */
export function buildServe<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  definition: EndpointDefinition<Params, Query, Body>,
): (context: Context<AppEnv>, serving: ServeContext) => Promise<Response> {
  const { method, scope } = definition;
  const reader = buildRequestReader(definition);
  return async (context, serving) => {
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
      const { consistency, values } = reader.parseQuery(req.url);
      const request = {
        caller,
        requestId: context.get('requestId'),
        headers: req.raw.headers,
        params: reader.parseParams(req.param()),
        query: values,
        body: await reader.readBody(req.raw, { limits, bytes }),
      };
      const readAfter =
        consistency === undefined ? undefined : await serving.awaitConsistency({ consistency, principalId });
      const response = await definition.handle({ ...request, readAfter });
      return answerAs(successStatus(method, serving.clientProfile), response);
    };
    if (method !== 'post') return handle();
    return answerOnce(context, { ...serving, principalId }, handle);
  };
}

/** Handlers answer with 200 for success. */
function answerAs(status: 200 | 201, response: Response): Response | Promise<Response> {
  if (response.status !== 200 || status === 200) return response;
  return response.text().then((text) => new Response(text, { status, headers: response.headers }));
}

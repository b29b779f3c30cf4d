import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Logger } from 'pino';
import type { ClientProfile } from '../../platform/config/clientProfile.ts';
import type { ChainConfiguration } from '../../platform/config/configuration.ts';
import type { Limits } from '../../platform/config/limits.ts';
import type { LogPosition } from '../../platform/database/reads.ts';
import type { Derive } from '../../platform/encryption/derive.ts';
import type { QuotaKeeper } from '../../records/quotas/quotaKeeper.ts';
import { refuseChain } from '../agreements/checkDeployment.ts';
import { type Authenticator, authorize } from '../authentication/authenticator.ts';
import { turnOfGuests } from '../guests/guestAuthenticator.ts';
import type { IdempotencyStore } from '../idempotency/idempotencyStore.ts';
import type { BeginComputing, LargeTurns } from '../limiting/largeTurns.ts';
import type { PageOptions, PageTurns } from '../limiting/pageTurns.ts';
import type { RateLimiter } from '../limiting/rateLimiter.ts';
import type { WalletTurns } from '../limiting/walletTurns.ts';
import { answerOnce } from './answerOnce.ts';
import type { AppEnv } from './appEnv.ts';
import { awaitWrites } from './awaitWrites.ts';
import { findClient } from './clientAddress.ts';
import {
  awaitAnswer,
  type EndpointDefinition,
  type OpenEndpointDefinition,
  type OpenSender,
} from './endpointDefinition.ts';
import { limitRate, limitTogether } from './limitRate.ts';
import { lookAgain } from './lookAgain.ts';
import { buildRequestReader } from './requestReader.ts';
import { successStatus } from './successStatus.ts';

export type ServeContext = {
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  /** Counts the requests of all guests of a principal together. */
  readonly guestLimiter: RateLimiter;
  /** Counts requests of clients that cannot be told apart. */
  readonly strangerLimiter: RateLimiter;
  readonly largeTurns: LargeTurns;
  readonly pageTurns: PageTurns;
  readonly walletTurns: WalletTurns;
  readonly idempotency: IdempotencyStore;
  readonly quotas: QuotaKeeper;
  readonly limits: Limits;
  readonly chains: readonly ChainConfiguration[];
  readonly clientProfile: ClientProfile;
  readonly logger: Logger;
  /** Resolves once reads after the returned position show the writes of a principal's token. */
  awaitConsistency(token: { consistency: string; principalId: string }): Promise<LogPosition>;
};

/** A larger body is parsed only for a request that runs. */
const mostBytesAhead = 32_768;

/** Serves an endpoint: access first, then query, path and body, each with all of its faults at once. */
export function buildServe<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Ahead,
>(
  definition: EndpointDefinition<Params, Query, Body, Ahead>,
): (context: Context<AppEnv>, serving: ServeContext) => Promise<Response> {
  const { method, isHeavy, data } = definition;
  const reader = buildRequestReader(definition);
  const takesChain = 'chainId' in definition.query.shape;
  const isInPageTurn = data.isList === true || definition.mayBeLarge === true;
  const isPreparedAhead = ({ byteLength }: Uint8Array) =>
    definition.readAhead !== undefined && byteLength <= mostBytesAhead;
  return async (context, serving) => {
    const { req } = context;
    const { limits } = serving;
    const caller = await serving.authenticator.authenticate(req.raw.headers, () =>
      findClient(context, limits.trustedProxies),
    );
    const { principalId } = caller;
    context.set('principalId', principalId);
    await limitRate(context, { rateLimiter: serving.rateLimiter, rates: limits.rates, name: principalId });
    // Before an Idempotency-Key is looked at: its answer may be that of a caller with more permissions.
    authorize(caller, definition);
    const check = () => serving.authenticator.check(req.raw.headers);
    const requireAccess = lookAgain(async () => authorize(await check(), definition));
    const inPageTurn = <Page extends object>(read: () => Promise<Page> | Page, options?: PageOptions) =>
      serving.pageTurns.run(principalId, read, options);
    const prepare = async (bytes?: Uint8Array) => {
      const { consistency, values: query } = reader.parseQuery(req.url);
      if (takesChain) requireServed(query, serving.chains);
      const params = reader.parseParams(req.param());
      const body = await reader.readBody(req.raw, { limits, bytes });
      const parts = { caller, params, query, body, inPageTurn };
      return { consistency, parts, takeAhead: holdOnce(definition.readAhead?.(parts)) };
    };
    const begin = async (compute?: BeginComputing, takePrepared = prepare, derive?: Derive) => {
      const { consistency, parts, takeAhead } = await takePrepared();
      const waited = await awaitWrites({
        caller,
        consistency,
        access: definition,
        check,
        awaitConsistency: serving.awaitConsistency,
      });
      const request = {
        ...parts,
        ...waited,
        requestId: context.get('requestId'),
        headers: req.raw.headers,
        derive,
        requireAccess,
        disconnect: () => context.env?.outgoing?.destroy(),
      };
      await compute?.();
      const answer = async () => {
        await requireAccess();
        return definition.handle({ ...request, takeAhead });
      };
      return isInPageTurn ? inPageTurn(answer) : answer();
    };
    // Only `begin` holds the body, and it has ended before an answer is awaited.
    const handle = async (compute?: BeginComputing, takePrepared?: typeof prepare, derive?: Derive) => {
      const response = await awaitAnswer(await begin(compute, takePrepared, derive));
      return answerAs(successStatus(method, serving.clientProfile), response);
    };
    if (method === 'get') return handle();
    return serving.largeTurns.run({ owner: principalId, headers: req.raw.headers, isHeavy }, (compute) =>
      method === 'post'
        ? answerOnce(
            context,
            { ...serving, principalId, requireAccess, prepare, isPreparedAhead },
            (takePrepared, derive) => handle(compute, takePrepared, derive),
          )
        : handle(compute),
    );
  };
}

/** Returns the promise to the first caller only, so that nothing else holds the result. */
function holdOnce<Result>(reading: Promise<Result> | undefined): () => Promise<Result> | undefined {
  let held = reading;
  // A failure counts only if somebody takes it.
  held?.catch(() => {});
  return () => {
    const taken = held;
    held = undefined;
    return taken;
  };
}

/** Callers without a credential have one turn together. */
const strangers = 'strangers';

/** Serves an endpoint that authenticates its callers itself: query first, then access, then path and body. */
export function buildOpenServe<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Admitted,
>(
  definition: OpenEndpointDefinition<Params, Query, Body, Admitted>,
): (context: Context<AppEnv>, serving: ServeContext) => Promise<Response> {
  const { method } = definition;
  const reader = buildRequestReader(definition, { takesTokens: false });
  const takesChain = 'chainId' in definition.query.shape;
  return async (context, serving) => {
    const { req } = context;
    const { limits, pageTurns } = serving;
    const { values } = reader.parseQuery(req.url);
    if (takesChain) requireServed(values, serving.chains);
    const { headers } = req.raw;
    const client = findClient(context, limits.trustedProxies);
    const admitted = await definition.admit({
      headers,
      query: values,
      client,
      ...limitSenders(context, serving, client),
    });
    const requireAccess = async () => definition.requireAccess?.(admitted);
    const prepare = async (bytes?: Uint8Array) => ({
      params: reader.parseParams(req.param()),
      body: await reader.readBody(req.raw, { limits, bytes }),
    });
    const handle = async (takePrepared = prepare, derive?: Derive) => {
      const prepared = await takePrepared();
      if (method !== 'get') await requireAccess();
      const response = await definition.handle({
        ...prepared,
        requestId: context.get('requestId'),
        headers,
        query: values,
        client,
        admitted,
        derive,
        inPageTurn: pageTurns.run,
        inHeavyTurn: (owner, work) => serving.largeTurns.run({ owner, headers, isHeavy: true }, () => work()),
        inWalletTurn: serving.walletTurns.run,
        disconnect: () => context.env?.outgoing?.destroy(),
      });
      return answerAs(successStatus(method, serving.clientProfile), response);
    };
    if (method === 'get') return handle();
    const owner = definition.turnOf?.(admitted) ?? strangers;
    const principalId = method === 'post' ? definition.principalOf?.(admitted) : undefined;
    return serving.largeTurns.run({ owner, headers }, () =>
      principalId === undefined
        ? handle()
        : answerOnce(
            context,
            { ...serving, principalId, requireAccess, prepare, isPreparedAhead: () => false },
            handle,
          ),
    );
  };
}

function limitSenders(
  context: Context<AppEnv>,
  { limits: { rates }, rateLimiter, guestLimiter, strangerLimiter }: ServeContext,
  client: string | undefined,
): Pick<OpenSender<unknown>, 'limitRate' | 'limitClient' | 'limitGuest'> {
  return {
    limitRate: (name) => limitRate(context, { rateLimiter, rates, name }),
    limitClient: (name) =>
      client === undefined
        ? limitTogether(context, { rateLimiter: strangerLimiter, name })
        : limitRate(context, { rateLimiter, rates, name: `${name} ${client}` }),
    async limitGuest({ name, principalId }) {
      await limitRate(context, { rateLimiter, rates, name });
      if (principalId === undefined) return;
      await limitTogether(context, { rateLimiter: guestLimiter, name: turnOfGuests(principalId) });
    },
  };
}

const chainQuery = z.object({ chainId: z.int().optional() });

/** @throws RefusedError `unsupported_chain` for a query that names a chain which this installation does not have. */
export function requireServed(query: unknown, chains: readonly ChainConfiguration[]): void {
  const { chainId } = chainQuery.parse(query);
  if (chainId === undefined || chains.some((chain) => chain.chainId === chainId)) return;
  throw refuseChain(chainId, { chains, message: 'unsupported chainId' });
}

/** Handlers answer with 200 for success. */
function answerAs(status: 200 | 201, response: Response): Response | Promise<Response> {
  if (response.status !== 200 || status === 200) return response;
  return response.text().then((text) => new Response(text, { status, headers: response.headers }));
}

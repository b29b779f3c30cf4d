import type { z } from '@hono/zod-openapi';
import type { LogPosition } from '../../platform/database/reads.ts';
import type { Derive } from '../../platform/encryption/derive.ts';
import type { Reason } from '../../platform/errors/serviceError.ts';
import type { ErrorStatus } from '../../platform/http/errorResponse.ts';
import type { Issue } from '../../protocol/errors.ts';
import type { Access, Caller } from '../authentication/authenticator.ts';
import type { PageOptions, PageTurns } from '../limiting/pageTurns.ts';
import type { WalletTurns } from '../limiting/walletTurns.ts';
import type { DataShape } from './documentation.ts';
import type { Example } from './example.ts';
import type { Tag } from './tags.ts';

/** A request of an authenticated and authorised caller, whose parts have the declared shapes. */
export type EndpointRequest<Params, Query, Body> = {
  readonly caller: Caller;
  readonly requestId: string;
  readonly headers: Headers;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Reads what may be large in the principal's turn, for endpoints that do other things too. */
  inPageTurn<Page extends object>(read: () => Promise<Page> | Page, options?: PageOptions): Promise<Page>;
  /**
   * For a handler that waits before it reads: requires that the caller still has access.
   *
   * @throws AccessError
   */
  requireAccess(): Promise<void>;
  /** Ends the connection at once, for endless answers. */
  disconnect(): void;
  /** Consistency requirements of a read. */
  readonly readAfter: LogPosition;
  /** Given under an Idempotency-Key: what is made from its bytes is the same if the request is carried out again. */
  readonly derive?: Derive | undefined;
};

/** A request of any caller, before its body is read. */
export type OpenSender<Query> = Pick<EndpointRequest<unknown, Query, unknown>, 'headers' | 'query'> & {
  /** The client's network address, if known. */
  readonly client: string | undefined;
  /** Counts the request against the rate limit `name`, and reports what is left. */
  limitRate(name: string): Promise<void>;
  /**
   * Counts the request against the client's rate limit `name`, or against the one that all clients without a known address
   * share.
   */
  limitClient(name: string): Promise<void>;
  /**
   * Counts the request against the guest's rate limit `name`, and against the one shared by all guests of the
   * principal, if the guest has one.
   */
  limitGuest(guest: { readonly name: string; readonly principalId?: string | undefined }): Promise<void>;
};

/** A request of a caller that the endpoint has admitted. */
export type OpenRequest<Params, Query, Body, Admitted> = Omit<
  EndpointRequest<Params, Query, Body>,
  'caller' | 'readAfter' | 'inPageTurn' | 'requireAccess'
> & {
  readonly client: string | undefined;
  readonly admitted: Admitted;
  inPageTurn: PageTurns['run'];
  /** Runs what computes for long, however small the answer is, in the turn of its owner. */
  inHeavyTurn<Result>(owner: string, work: () => Promise<Result>): Promise<Result>;
  /** Runs what a logged-in wallet asks of all principals: wallets wait for each other only. */
  inWalletTurn: WalletTurns['run'];
};

/** A route's declaration of its request and its answer; documentation and checks are derived from it. */
export type EndpointParts<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
> = {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly path: `/v0/${string}`;
  /** The name in generated clients. It is unique and never changes. */
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Whether a POST request only reads: it takes consistency tokens as GET requests do. */
  readonly isRead?: boolean;
  /** Turns the faults of a body into the error to throw; by default the error of a malformed request. */
  readonly refuseBody?: (issues: readonly Issue[], body: unknown) => Error | Promise<Error>;
  readonly data: DataShape;
  /** Statuses of refusals that this endpoint adds to those of every endpoint. */
  readonly refusals: readonly ErrorStatus[];
  /** Possible reasons of its refusals; their statuses need not be listed among the refusals. */
  readonly reasons?: readonly Reason[];
  /** A request that works unchanged; tests run it. */
  readonly example: Example;
};

/** The part of a request that is known before it may change anything. */
export type RequestAhead<Params, Query, Body> = Pick<
  EndpointRequest<Params, Query, Body>,
  'caller' | 'params' | 'query' | 'body' | 'inPageTurn'
>;

/** A route for principals. */
export type EndpointDefinition<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Ahead = unknown,
> = EndpointParts<Params, Query, Body> &
  Access & {
    /** Whether a request computes for long, however small its body is. If so, it waits for its principal's turn. */
    readonly isHeavy?: boolean;
    /**
     * Whether an answer may have megabytes, as pages of lists may. If so, each principal's requests take turns. A request
     * must not wait for long.
     */
    readonly mayBeLarge?: boolean;
    /** The ways of authentication, if not all are allowed. */
    readonly credentials?: readonly Credential[];
    /**
     * Begins what the handler reads first. For a small POST request, while its Idempotency-Key is looked up: it may turn
     * out that the request does not run, so this must be quick and change nothing.
     */
    readAhead?(request: RequestAhead<z.output<Params>, z.output<Query>, z.output<Body>>): Promise<Ahead>;
    /**
     * Returns a function if it has to wait before it answers: nothing holds the request's body meanwhile.
     *
     * @param request.takeAhead returns the result of `readAhead` if that was begun, only once: a handler that waits does not hold it.
     */
    handle(
      request: EndpointRequest<z.output<Params>, z.output<Query>, z.output<Body>> & {
        takeAhead?(): Promise<Ahead> | undefined;
      },
    ): Promise<Response | LaterAnswer> | Response;
  };

/** Must not refer to the request's body. */
export type LaterAnswer = () => Promise<Response>;

/** The answer of a handler. */
export function awaitAnswer(handled: Response | LaterAnswer): Response | Promise<Response> {
  return typeof handled === 'function' ? handled() : handled;
}

/** How a caller of an open route proves its permissions; several are alternatives. */
export type Credential = 'apiKey' | 'bearer' | 'session' | 'signingLink' | 'walletSession' | 'none';

/** A route that authenticates its callers itself. */
export type OpenEndpointDefinition<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Admitted = unknown,
> = EndpointParts<Params, Query, Body> & {
  readonly credentials: readonly Credential[];
  /** Authenticates the caller and counts the request, before its body is read. */
  admit(sender: OpenSender<z.output<Query>>): Promise<Admitted>;
  /**
   * Called once the body is there, which may come slowly.
   *
   * @throws AccessError if the caller has lost its access meanwhile.
   */
  requireAccess?(admitted: Admitted): Promise<void>;
  /** The turn for a large body. Without it, all callers of such routes have one turn together. */
  turnOf?(admitted: Admitted): string;
  /** The principal whose Idempotency-Key a POST request may have. Without it, keys have no meaning. */
  principalOf?(admitted: Admitted): string | undefined;
  handle(
    request: OpenRequest<z.output<Params>, z.output<Query>, z.output<Body>, Admitted>,
  ): Promise<Response> | Response;
};

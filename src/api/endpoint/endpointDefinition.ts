import type { z } from '@hono/zod-openapi';
import type { LogPosition } from '../../platform/database/reads.ts';
import type { Reason } from '../../platform/errors/serviceError.ts';
import type { ErrorStatus } from '../../platform/http/errorResponse.ts';
import type { Issue } from '../../protocol/errors.ts';
import type { Scope } from '../../records/principals/scopes.ts';
import type { Caller } from '../authentication/authenticator.ts';
import type { DataShape } from './documentation.ts';
import type { Example } from './example.ts';
import type { Tag } from './tags.ts';

/** A request whose caller is known and entitled, and whose parts have the shapes that the endpoint declares. */
export type EndpointRequest<Params, Query, Body> = {
  readonly caller: Caller;
  readonly requestId: string;
  readonly headers: Headers;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Ends the connection at once, where an answer goes on for ever. */
  disconnect(): void;
  /** What a read has to show beside what it finds. */
  readonly readAfter: LogPosition;
};

/** A request that any caller may send: the endpoint finds out itself who that is. */
export type OpenRequest<Params, Query, Body> = Omit<
  EndpointRequest<Params, Query, Body>,
  'caller' | 'disconnect' | 'readAfter'
> & {
  /** Who sends it, where that is known. */
  readonly client: string | undefined;
  /** Counts the request against what somebody of this name may ask, and tells what is left. */
  limitRate(name: string): Promise<void>;
};

/** What a route declares of its request and its answer; its documents and its checks follow from that. */
export type EndpointParts<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
> = {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly path: `/v0/${string}`;
  /** What generated clients call it. It is unique and stays as it is. */
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
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
};

/** A route for principals. */
export type EndpointDefinition<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
> = EndpointParts<Params, Query, Body> & {
  /** What the principal has to be entitled to; null for no more than a valid key. */
  readonly scope: Scope | null;
  /** How callers show who they are, where not all ways will do. */
  readonly credentials?: readonly Credential[];
  handle(
    request: EndpointRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
  ): Promise<Response> | Response;
};

/** By what a caller of an open route shows what it may do; several are alternatives. */
export type Credential = 'apiKey' | 'bearer' | 'session' | 'signingLink' | 'walletSession' | 'none';

/** A route for others than principals. It honours no Idempotency-Key. */
export type OpenEndpointDefinition<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
> = EndpointParts<Params, Query, Body> & {
  readonly credentials: readonly Credential[];
  handle(
    request: OpenRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
  ): Promise<Response> | Response;
};

import type { z } from '@hono/zod-openapi';
import type { Caller } from '../access/authenticator.ts';
import type { Scope } from '../access/scopes.ts';
import type { LogPosition } from '../database/reads.ts';
import type { Issue, Reason } from '../errors/serviceError.ts';
import type { DataShape } from './documentation.ts';
import type { ErrorStatus } from './errorResponse.ts';
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
  /** What a read has to show beside what it finds. */
  readonly readAfter: LogPosition;
};

/** What a route declares of itself; its documents, its checks and its serving follow from that. */
export type EndpointDefinition<
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

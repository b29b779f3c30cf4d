/** The client: calls, errors, lists, events. It needs only `fetch`. */
export { AgreementsClient } from './agreementsClient.ts';
export * from './errors.ts';
export type { FollowedEvent, FollowOptions } from './followEvents.ts';
export { type Page, Paged } from './http/paged.ts';
export type { Meta } from './http/readResponse.ts';
export {
  type CallOptions,
  type ClientOptions,
  metaOf,
  type ReadOptions,
  type WriteOptions,
} from './http/transport.ts';
export type { components, operations, paths } from './openapi.ts';
export type * from './types.ts';
export * from './waiting.ts';

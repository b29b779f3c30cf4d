import type { Operation } from './apiShape.ts';

export type Route = {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  /** Whether the service sends the request and others answer it. */
  readonly isSent: boolean;
};

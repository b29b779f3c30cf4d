import type { HttpBindings } from '@hono/node-server';

/** A request's context in the application. */
export type AppEnv = {
  /** The server's data about each request. */
  Bindings: Partial<HttpBindings>;
  /** `route` is the documented path. */
  Variables: { requestId: string; route?: string; principalId?: string };
};

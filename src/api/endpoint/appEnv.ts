import type { HttpBindings } from '@hono/node-server';

/** What travels with a request through the application. */
export type AppEnv = {
  /** What the server hands in with each request. */
  Bindings: Partial<HttpBindings>;
  /** `route` is the path as it is documented. */
  Variables: { requestId: string; route?: string; principalId?: string };
};

import type { HttpBindings } from '@hono/node-server';

export type AppEnv = {
  /** The server's data about each request. */
  Bindings: Partial<HttpBindings>;
  /** `route` is the documented path. */
  Variables: { requestId: string; route?: string; principalId?: string };
};

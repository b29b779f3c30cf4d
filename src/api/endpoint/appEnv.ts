import type { HttpBindings } from '@hono/node-server';

export type AppEnv = {
  Bindings: Partial<HttpBindings>;
  /** `route` is the documented path. */
  Variables: { requestId: string; route?: string; principalId?: string };
};

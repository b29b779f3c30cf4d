import { fileURLToPath } from 'node:url';
import { startChild } from '../../../src/platform/supervision/child.ts';
import { inheritedEnvironment } from '../../support/inheritedEnvironment.ts';

const entry = fileURLToPath(new URL('controlServer.ts', import.meta.url));

/** Starts the server that nobody attacks. The caller closes it. */
export async function startControl(): Promise<{ url: string; close(): Promise<unknown> }> {
  const { promise: port, resolve } = Promise.withResolvers<string>();
  const child = startChild({ entry, env: inheritedEnvironment(), onLine: resolve });
  return { url: `http://127.0.0.1:${await port}/`, close: () => child.kill() };
}

import { z } from 'zod';
import { ConfigurationError } from './configurationError.ts';

/** Where a process answers to its operators. */
export type InternalServerSettings = {
  readonly host: string;
  readonly port: number;
  /** Whether an operator named the port; a port of ours that is taken is no reason not to start. */
  readonly isNamed: boolean;
};

const usualPorts = { INTERNAL_PORT: 9464, WORKER_INTERNAL_PORT: 9465 } as const;

/**
 * Reads where readiness and metrics are served: `INTERNAL_PORT` is the API's, `WORKER_INTERNAL_PORT` the worker's, on the same
 * machine as a rule; `INTERNAL_HOST` is the loopback interface unless it is named. Undefined where the port is 0.
 *
 * @throws ConfigurationError naming every variable that is wrong.
 */
export function readInternalServer(
  env: NodeJS.ProcessEnv,
  variable: keyof typeof usualPorts,
): InternalServerSettings | undefined {
  const named = env[variable];
  const port = z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .refine((number) => number <= 65_535)
    .safeParse(named || String(usualPorts[variable]));
  if (!port.success) throw new ConfigurationError([`${variable}: expected a port, or 0 for none`]);
  if (port.data === 0) return undefined;
  return { host: env.INTERNAL_HOST || '127.0.0.1', port: port.data, isNamed: Boolean(named) };
}

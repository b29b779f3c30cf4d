import { z } from 'zod';
import { ConfigurationError } from './configurationError.ts';

/** Where a process serves its operators. */
export type InternalServerSettings = {
  readonly host: string;
  readonly port: number;
  /** Whether an operator named the host or the port. If not, a taken port does not prevent the start. */
  readonly isNamed: boolean;
  /** Names of hosts whose pages may read operators' data, beside addresses and names that are not public. */
  readonly allowedHosts: readonly string[];
  /** How many milliseconds the served data may lag behind the chains before the process is not ready. */
  readonly allowedLagMs: number;
};

const usualLagSeconds = 30;
const usualPorts = { INTERNAL_PORT: 9464, WORKER_INTERNAL_PORT: 9465 } as const;

/**
 * Reads where readiness and metrics are served. `INTERNAL_PORT` is the API's and `WORKER_INTERNAL_PORT` the
 * worker's, usually on the same machine. `INTERNAL_HOST` defaults to the loopback interface.
 * `READY_LAG_SECONDS` and `INTERNAL_ALLOWED_HOSTS` apply to both. Undefined if the port is 0.
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
  const lagSeconds = z
    .string()
    .regex(/^[1-9]\d{0,5}$/)
    .transform(Number)
    .safeParse(env.READY_LAG_SECONDS || String(usualLagSeconds));
  const problems: string[] = [];
  if (!port.success) problems.push(`${variable}: expected a port, or 0 for none`);
  if (!lagSeconds.success) problems.push('READY_LAG_SECONDS: expected a whole number of seconds, 1 or more');
  if (!port.success || !lagSeconds.success) throw new ConfigurationError(problems);
  if (port.data === 0) return undefined;
  return {
    host: env.INTERNAL_HOST || '127.0.0.1',
    port: port.data,
    isNamed: Boolean(named || env.INTERNAL_HOST),
    allowedHosts: (env.INTERNAL_ALLOWED_HOSTS ?? '')
      .toLowerCase()
      .split(/[\s,]+/)
      .filter(Boolean),
    allowedLagMs: lagSeconds.data * 1_000,
  };
}

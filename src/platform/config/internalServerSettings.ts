import { z } from 'zod';
import { readSettings, variable } from './readSettings.ts';
import { list, port, seconds } from './settingShapes.ts';

const usualPorts = { INTERNAL_PORT: 9464, WORKER_INTERNAL_PORT: 9465 } as const;

const buildShape = (portName: keyof typeof usualPorts) =>
  z.object({
    host: variable('INTERNAL_HOST', z.string().default('127.0.0.1')),
    port: variable(portName, port({ error: 'expected a port, or 0 for none' }).default(usualPorts[portName])),
    /** Names of hosts whose pages may read operators' data, beside addresses and names that are not public. */
    allowedHosts: variable(
      'INTERNAL_ALLOWED_HOSTS',
      z
        .string()
        .toLowerCase()
        .pipe(list(/[\s,]+/))
        .default([]),
    ),
    /** How many milliseconds the served data may lag behind the chains before the process is not ready. */
    allowedLagMs: variable(
      'READY_LAG_SECONDS',
      seconds(30, { least: 1, digits: 6, error: 'expected a whole number of seconds, 1 or more' }),
    ),
  });

/** Where a process serves its operators. */
export type InternalServerSettings = Readonly<z.output<ReturnType<typeof buildShape>>> & {
  /** Whether an operator named the host or the port. If not, a taken port does not prevent the start. */
  readonly isNamed: boolean;
};

/**
 * Reads where readiness and metrics are served. `INTERNAL_PORT` is the API's and `WORKER_INTERNAL_PORT` the
 * worker's, usually on the same machine. `INTERNAL_HOST` defaults to the loopback interface.
 * `READY_LAG_SECONDS` and `INTERNAL_ALLOWED_HOSTS` apply to both. Undefined if the port is 0.
 *
 * @throws ConfigurationError naming every variable that is wrong.
 */
export function readInternalServer(
  env: NodeJS.ProcessEnv,
  portName: keyof typeof usualPorts,
): InternalServerSettings | undefined {
  const settings = readSettings(buildShape(portName), env);
  if (settings.port === 0) return undefined;
  return { ...settings, isNamed: Boolean(env[portName] || env.INTERNAL_HOST) };
}

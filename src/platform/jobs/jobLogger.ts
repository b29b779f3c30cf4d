import { Logger as JobLogger } from 'graphile-worker';
import type { Logger } from 'pino';

const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const;

/** What graphile-worker says, in the log of this process. Each job's start and end are details here. */
export function createJobLogger(logger: Logger): JobLogger {
  return new JobLogger(() => (level, message, meta) => {
    logger[levels[level]]({ err: meta.error }, message);
  });
}

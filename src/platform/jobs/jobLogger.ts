import { Logger as JobLogger } from 'graphile-worker';
import type { Logger } from 'pino';

const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const;

/** Writes graphile-worker's messages to this process's log. Its routine messages are at level debug or below. */
export function createJobLogger(logger: Logger): JobLogger {
  return new JobLogger(() => (level, message, meta) => {
    logger[levels[level]]({ err: meta.error }, message);
  });
}

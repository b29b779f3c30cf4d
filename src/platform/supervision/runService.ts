import type { Logger } from 'pino';
import { onStopRequest } from './stopSignals.ts';

/** The supervisor kills the process after 20 seconds. */
export const defaultCloseTimeoutMs = 15_000;

export type Closing = { name: string; close(): Promise<void> | void };

export type ServiceOptions = {
  logger: Logger;
  /** Opens the service's resources, and registers the closing of each as soon as it is open. */
  start(onClose: (closing: Closing) => void): Promise<void>;
  closeTimeoutMs?: number;
};

/** Whether a supervisor has started this process (`startChild`). It kills a process that does not stop in time. */
const isSupervised = process.channel !== undefined;

/**
 * Runs one service until the process is asked to stop, then closes its resources in reverse order and exits:
 * with 0, or with 1 if something failed, did not close in time, or went wrong without anybody waiting for it. A second
 * request ends the process at once, unless it is supervised: a signal to a whole control group precedes the supervisor's
 * own.
 */
export function runService(options: ServiceOptions): void {
  const { logger, start, closeTimeoutMs = defaultCloseTimeoutMs } = options;
  const closings: Closing[] = [];
  let isEnding = false;

  const end = (exitCode: number) => {
    if (!isEnding) void closeAll(exitCode);
    isEnding = true;
  };
  const closeAll = async (exitCode: number) => {
    const overdue = setTimeout(() => {
      logger.error({ open: closings.map(({ name }) => name) }, 'shutdown is taking too long');
      process.exit(1);
    }, closeTimeoutMs);
    let failures = 0;
    for (let closing = closings.at(-1); closing; closing = closings.at(-1)) {
      try {
        await closing.close();
      } catch (error) {
        failures++;
        logger.error({ err: error, part: closing.name }, 'a part of the service did not close cleanly');
      }
      closings.splice(closings.lastIndexOf(closing), 1);
    }
    logger.info('stopped');
    // Log lines in flight would appear after the final ones, or be lost.
    await new Promise((resolve) => logger.flush(resolve));
    clearTimeout(overdue);
    process.exit(failures > 0 ? 1 : exitCode);
  };
  const fail = (error: unknown, message: string) => {
    logger.fatal({ err: error }, message);
    end(1);
  };

  process.on('uncaughtException', (error) => fail(error, 'uncaught exception'));
  process.on('unhandledRejection', (reason) => fail(reason, 'unhandled rejection'));
  onStopRequest({
    stop(cause) {
      logger.info({ cause }, 'stopping');
      end(0);
    },
    force: () => {
      if (!isSupervised) process.exit(1);
    },
  });
  start((closing) => closings.push(closing)).then(
    () => logger.info('started'),
    (error) => {
      // Parts that are closed while others still open make these fail.
      if (isEnding) logger.info({ cause: String(error) }, 'the start was broken off');
      else fail(error, 'the service could not start');
    },
  );
}

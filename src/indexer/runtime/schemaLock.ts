import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { KeeperMessage, KeeperPlan } from './lockKeeper.ts';
import { processMark } from './sessions.ts';

export type SchemaLockOptions = {
  url: string;
  schema: string;
  /** For how many milliseconds a holder keeps the lock of which the database hears nothing: by default 30 seconds. */
  leaseMs?: number;
  logger: Logger;
  /** Another process has the lock. */
  onStandingBy?: (() => void) | undefined;
  /** The lock is lost: nothing more that this process writes into the index is taken. */
  onLost(cause: Error): void;
};

const usualLeaseMs = 30_000;

/**
 * Makes this process the only indexer of the schema for as long as it lives; waits while another one is. The lock belongs to a session
 * of the database, so it ends with the process, however that ends. A holder of which the database hears nothing for the lease, since
 * its machine is gone or it stands still, loses the lock to whoever waits for it, and keeps it while nobody does.
 *
 * Two do not write side by side, however busy or slow either is: whoever takes the lock makes itself the owner in the database, which
 * refuses the writes of all others from then on, and ends their sessions with what was not committed.
 *
 * @throws Error where the role may not make what is needed for that.
 */
export function acquireSchemaLock(options: SchemaLockOptions): Promise<void> {
  const { url, schema, leaseMs = usualLeaseMs, logger, onStandingBy, onLost } = options;
  const workerData: KeeperPlan = { url, schema, processMark, leaseMs };
  const keeper = new Worker(new URL('lockKeeper.ts', import.meta.url), { workerData, execArgv: [] });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isHeld = false;
  const fail = (cause: Error) => (isHeld ? onLost(cause) : reject(cause));
  keeper.on('message', (message: KeeperMessage) => {
    switch (message.kind) {
      case 'unreachable':
        return logger.warn(
          { reason: message.reason, retryInMs: message.retryInMs },
          'the database is not reachable',
        );
      case 'standingBy':
        onStandingBy?.();
        return logger.info({ schema }, 'another process indexes into this schema: standing by');
      case 'held':
        isHeld = true;
        return resolve();
      default:
        return fail(new Error(message.reason));
    }
  });
  keeper.on('error', fail);
  keeper.on('exit', () => fail(new Error('the thread that keeps the lock has ended')));
  return promise;
}

import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { KeeperMessage, KeeperPlan } from './lockKeeper.ts';
import { processMark } from './sessions.ts';

export type SchemaLockOptions = {
  url: string;
  schema: string;
  /** How many milliseconds a silent holder keeps the lock; 30 seconds by default. */
  leaseMs?: number;
  logger: Logger;
  /** Another process has the lock. */
  onStandingBy?: (() => void) | undefined;
  /** The lock is lost: the database refuses all further writes of this process to the index. */
  onLost(cause: Error): void;
};

const usualLeaseMs = 30_000;

/**
 * Makes this process the only indexer of the schema for as long as it lives; waits while another one is. The
 * lock belongs to a database session, so it ends with the process, however that ends. If the database hears
 * nothing from a holder for the lease, because its machine is gone or frozen, a waiting indexer takes the
 * lock; without one the holder keeps it. Two indexers never write side by side, however busy or slow either
 * is: a new holder becomes the owner in the database. From then on the database refuses the writes of all
 * others, and ends their sessions with their uncommitted work.
 *
 * @throws Error if the role may not make what is needed for that.
 */
export function acquireSchemaLock(options: SchemaLockOptions): Promise<void> {
  const { url, schema, leaseMs = usualLeaseMs, logger, onStandingBy, onLost } = options;
  const workerData: KeeperPlan = { url, schema, processMark, leaseMs };
  const keeper = new Worker(new URL('lockKeeper.ts', import.meta.url), { workerData, execArgv: [] });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isHeld = false;
  /** Each is said once: the keeper tries again several times a second, for as long as the database is away. */
  const saidReasons = new Set<string>();
  const fail = (cause: Error) => (isHeld ? onLost(cause) : reject(cause));
  keeper.on('message', (message: KeeperMessage) => {
    switch (message.kind) {
      case 'unreachable':
        if (saidReasons.has(message.reason)) return;
        saidReasons.add(message.reason);
        return logger.warn(
          { reason: message.reason, retryInMs: message.retryInMs },
          'the database is not reachable',
        );
      case 'standingBy':
        saidReasons.clear();
        onStandingBy?.();
        return logger.info({ schema }, 'another process indexes into this schema; standing by');
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

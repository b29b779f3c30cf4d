import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { Logger } from 'pino';
import { runPrepared } from '../../platform/database/runPrepared.ts';

/** A renewal may fail twice without harm. */
const renewalsPerLease = 4;
/** How long before its end, in parts of its length, a lease that was not renewed counts as lost here. */
const margin = 1 / 4;
const defaultLeaseMs = 6_000;

const renewStatement = `
  insert into service.worker_leases (id, lease_until) values ($1, now() + $2::int * interval '1 millisecond')
  on conflict (id) do update set lease_until = excluded.lease_until where worker_leases.lease_until > now()
  returning id`;
/** Long after anybody could still have taken its holder for alive. */
const sweepStatement = `delete from service.worker_leases where lease_until < now() - interval '1 minute'`;

export type WorkerLease = {
  /** Names this worker in what it holds; another one after the lease was lost. */
  readonly id: string;
  /** Whether others still take this worker for alive, so that what it holds is its own. */
  isHeld(): boolean;
  close(): Promise<void>;
};

/**
 * Says in the database that this worker lives, from when this resolves until it is closed. A worker that dies, or that loses the
 * database, is taken for dead after `leaseMs`; before that it has found out itself, has called `onLost`, and begins anew under
 * another id.
 */
export async function openWorkerLease(options: {
  pool: pg.Pool;
  logger: Logger;
  leaseMs?: number | undefined;
  /** What was held under the id that the lease had is not this worker's any more. */
  onLost?(lostId: string): void;
}): Promise<WorkerLease> {
  const { pool, logger, leaseMs = defaultLeaseMs, onLost } = options;
  let id = createWorkerId();
  let heldUntil = 0;
  let expiry: NodeJS.Timeout | undefined;
  let renewal: Promise<void> | undefined;
  let isClosed = false;

  const lose = () => {
    const lostId = id;
    id = createWorkerId();
    heldUntil = 0;
    clearTimeout(expiry);
    logger.warn({ worker: lostId }, 'has lost the lease of a worker');
    onLost?.(lostId);
  };
  const renew = async () => {
    const askedAt = performance.now();
    const asked = id;
    const rows = await runPrepared(pool, renewStatement, [asked, leaseMs]);
    if (asked !== id) return;
    if (rows.length === 0) return lose();
    heldUntil = askedAt + leaseMs * (1 - margin);
    clearTimeout(expiry);
    if (!isClosed) expiry = setTimeout(lose, Math.max(0, heldUntil - performance.now()));
  };
  const renewLogged = async () => {
    await renew().catch((error: unknown) =>
      logger.warn({ err: error }, 'the lease of a worker was not renewed'),
    );
    renewal = undefined;
  };

  await renew();
  await pool.query(sweepStatement);
  const timer = setInterval(() => {
    renewal ??= renewLogged();
  }, leaseMs / renewalsPerLease);
  return {
    get id() {
      return id;
    },
    isHeld: () => performance.now() < heldUntil,
    async close() {
      isClosed = true;
      clearInterval(timer);
      await renewal;
      clearTimeout(expiry);
      await pool.query('delete from service.worker_leases where id = $1', [id]);
    },
  };
}

function createWorkerId(): string {
  return `worker-${randomBytes(12).toString('hex')}`;
}

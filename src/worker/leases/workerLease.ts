import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { Logger } from 'pino';
import { runPrepared } from '../../platform/database/runPrepared.ts';

/** A renewal may fail twice without harm. */
const renewalsPerLease = 4;
/** The share of a lease's length before its end at which an unrenewed lease counts as lost here. */
const margin = 1 / 4;
const defaultLeaseMs = 6_000;

const inForce = (until: string) => `${until} > now() and ${until} < now() + interval '5 minutes'`;
/**
 * SQL: whether a lease is in force. One that ends much later is from before the database's clock was set back: its holder
 * is dead, or loses it at its next renewal.
 */
export const isInForce = inForce('lease_until');
/** Only a lease in force: whatever was held under another one may be somebody else's by now. */
const renewStatement = `
  insert into service.worker_leases (id, lease_until) values ($1, now() + $2::int * interval '1 millisecond')
  on conflict (id) do update set lease_until = excluded.lease_until where ${inForce('worker_leases.lease_until')}
  returning id`;
/** Long after anybody could still consider its holder alive. */
const sweepStatement = `delete from service.worker_leases where lease_until < now() - interval '1 minute'`;

export type WorkerLease = {
  /** This worker's id as a holder; a new one after the lease was lost. */
  readonly id: string;
  /** Whether others still consider this worker alive, so that its seats are its own. */
  isHeld(): boolean;
  close(): Promise<void>;
};

/**
 * Registers this worker as alive in the database, from when this resolves until it is closed. A worker that
 * dies, or loses the database, counts as dead after `leaseMs`. Before that it notices the loss itself, calls
 * `onLost`, and starts again under another id.
 */
export async function openWorkerLease(options: {
  pool: pg.Pool;
  logger: Logger;
  leaseMs?: number | undefined;
  /** Everything held under the lease's old id no longer belongs to this worker. */
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
    logger.warn({ worker: lostId }, 'lost the lease of a worker');
    onLost?.(lostId);
  };
  const renew = async () => {
    const askedAt = performance.now();
    const asked = id;
    const rows = await runPrepared(pool, renewStatement, [asked, leaseMs]);
    if (asked !== id) return;
    if (rows.length === 0) {
      lose();
      // It would be in force again later if it ends after the time to which the database's clock was set back.
      await pool.query('delete from service.worker_leases where id = $1', [asked]);
      return;
    }
    heldUntil = askedAt + leaseMs * (1 - margin);
    clearTimeout(expiry);
    if (!isClosed) expiry = setTimeout(lose, Math.max(0, heldUntil - performance.now()));
  };
  const renewLogged = async () => {
    await renew().catch((error: unknown) =>
      logger.warn({ err: error }, 'failed to renew the lease of a worker'),
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

import type pg from 'pg';
import type { Logger } from 'pino';

export type Identity = readonly [principalId: string, key: string, attemptId: string];

export type LeaseKeeper = {
  /** Renews the lease of this attempt from now on. */
  keep(identity: Identity): void;
  drop(identity: Identity): void;
  close(): void;
};

/** Renewals within the length of a lease: one may fail without harm. */
const renewalsPerLease = 3;

const renewStatement = (leaseSeconds: number) => `
  update service.idempotency_keys as used set lease_until = now() + interval '${leaseSeconds} seconds'
  from unnest($1::text[], $2::text[], $3::text[]) as kept(principal_id, key, attempt_id)
  where used.principal_id = kept.principal_id and used.key = kept.key and used.attempt_id = kept.attempt_id
    and used.lease_until is not null`;

/** Renews the leases of this process's running requests, all with one statement at a time. */
export function createLeaseKeeper(options: {
  pool: pg.Pool;
  leaseSeconds: number;
  logger: Logger;
}): LeaseKeeper {
  const { pool, leaseSeconds, logger } = options;
  const kept = new Map<string, Identity>();
  let timer: NodeJS.Timeout | undefined;

  const renew = async () => {
    const identities = [...kept.values()];
    await pool
      .query(
        renewStatement(leaseSeconds),
        [0, 1, 2].map((part) => identities.map((identity) => identity[part])),
      )
      .catch((error: unknown) =>
        logger.warn({ err: error }, 'failed to renew the leases of idempotency keys'),
      );
  };
  const close = () => {
    clearInterval(timer);
    timer = undefined;
  };

  return {
    keep(identity) {
      kept.set(identity[2], identity);
      timer ??= setInterval(renew, (leaseSeconds * 1000) / renewalsPerLease);
    },
    drop([, , attemptId]) {
      kept.delete(attemptId);
      if (kept.size === 0) close();
    },
    close,
  };
}

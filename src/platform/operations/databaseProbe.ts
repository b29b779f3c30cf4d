import type pg from 'pg';

const patienceMs = 2_000;

/**
 * Whether the database answers within two seconds, and takes writes: every request writes, also one that only reads. Concurrent
 * callers share one query.
 */
export function createDatabaseProbe(pool: pg.Pool): () => Promise<boolean> {
  let asked: Promise<boolean> | undefined;
  return () => {
    asked ??= answersInTime(pool).finally(() => {
      asked = undefined;
    });
    return asked;
  };
}

async function answersInTime(pool: pg.Pool): Promise<boolean> {
  const overdue = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => overdue.resolve(false), patienceMs);
  // After the time-out the connection is dropped too, so that a frozen database does not use up all
  // connections.
  const text = `select current_setting('transaction_read_only') as read_only`;
  const probe = { text, query_timeout: patienceMs };
  const answered = pool.query(probe).then(
    ({ rows }) => rows[0]?.read_only === 'off',
    () => false,
  );
  return await Promise.race([answered, overdue.promise]).finally(() => clearTimeout(timer));
}

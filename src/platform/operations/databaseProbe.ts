import type pg from 'pg';

const patienceMs = 2_000;

/** Whether the database answers within two seconds. Concurrent callers share one query. */
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
  const probe = { text: 'select 1', query_timeout: patienceMs };
  const answered = pool.query(probe).then(
    () => true,
    () => false,
  );
  return await Promise.race([answered, overdue.promise]).finally(() => clearTimeout(timer));
}

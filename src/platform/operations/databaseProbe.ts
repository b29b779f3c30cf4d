import type pg from 'pg';

const patienceMs = 2_000;

/** Says whether the database answers within two seconds. Whoever asks at the same time shares one question. */
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
  // Beyond its time the connection is given up too, so that a frozen database does not use up all of them.
  const probe = { text: 'select 1', query_timeout: patienceMs };
  const answered = pool.query(probe).then(
    () => true,
    () => false,
  );
  return await Promise.race([answered, overdue.promise]).finally(() => clearTimeout(timer));
}

import pg from 'pg';
import type { TestContext } from 'vitest';
import { createTestDatabase } from '../../support/postgres.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { type LockHolder, startLockHolder } from './lockHolder.ts';

/**
 * Long enough for a busy machine, on which every statement is slow. Most tests wait for it, so they run
 * concurrently.
 */
export const leaseMs = 6_000;
export const schema = 'chain_index_0123456789ab';

type Plan = Parameters<typeof startLockHolder>[0];

/** A schema in its own database, and processes that want its lock. Everything ends with the test. */
export async function openLockScene(onTestFinished: TestContext['onTestFinished']) {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`create schema ${schema}`);
  await client.query(`create table ${schema}.written (number int primary key, pid int)`);

  const launch = (parts: Partial<Plan> = {}): LockHolder => {
    const holder = startLockHolder({
      lockUrl: database.url,
      databaseUrl: database.url,
      schema,
      leaseMs,
      ...parts,
    });
    onTestFinished(async () => {
      holder.signal('SIGKILL');
      await holder.exited;
    });
    return holder;
  };
  return {
    database,
    client,
    launch,
    /** One process that has the lock and an uncommitted row, and one that waits for the lock. */
    async launchPair(parts?: Partial<Plan>): Promise<{ first: LockHolder; standby: LockHolder }> {
      const first = launch(parts);
      await says(first, 'written');
      const standby = launch();
      await says(standby, 'standing by');
      return { first, standby };
    },
  };
}

export const says = (holder: LockHolder, text: string) =>
  waitUntil(`it says: ${text}`, () => holder.lines.some((line) => line.includes(text)));

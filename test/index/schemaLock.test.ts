import pg from 'pg';
import { expect, type TestContext, test } from 'vitest';
import { createTestDatabase } from '../support/postgres.ts';
import { createSilentProxy } from '../support/silentProxy.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { type LockHolder, startLockHolder } from './support/lockHolder.ts';

/**
 * Long enough for a busy machine, on which every statement is slow. Most tests wait for it, so they run
 * concurrently.
 */
const leaseMs = 6_000;
const schema = 'chain_index_0123456789ab';

type Plan = Parameters<typeof startLockHolder>[0];

/** A schema in its own database, and processes that want its lock. Everything ends with the test. */
async function openScene(onTestFinished: TestContext['onTestFinished']) {
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

const says = (holder: LockHolder, text: string) =>
  waitUntil(`it says: ${text}`, () => holder.lines.some((line) => line.includes(text)));

test.concurrent('a holder at work keeps the lock far beyond its lease', async ({ onTestFinished }) => {
  const { client, launchPair } = await openScene(onTestFinished);
  const { first, standby } = await launchPair();
  await waitUntil('two leases are over', async () => {
    const { rows } = await client.query(
      `select now() - min(backend_start) > $1 * interval '1 millisecond' as is_over from pg_stat_activity
       where datname = current_database() and application_name = $2`,
      [2 * leaseMs, `${schema} lock`],
    );
    return rows[0]?.is_over === true;
  });
  expect(standby.lines.filter((line) => line.includes('written'))).toEqual([]);
  expect(first.lines.filter((line) => line.includes('lost'))).toEqual([]);
});

test.concurrent('a frozen holder is replaced, loses its uncommitted work, and ends when it continues', async ({
  onTestFinished,
}) => {
  const { launchPair } = await openScene(onTestFinished);
  const { first, standby } = await launchPair();
  first.signal('SIGSTOP');
  // The stopped process's session stays open. Until it is terminated, its uncommitted row blocks the standby.
  await says(standby, 'written');
  first.signal('SIGCONT');
  expect(await first.exited).toBe(75);
  expect(standby.lines.filter((line) => line.includes('lost'))).toEqual([]);
});

test.concurrent('a holder that hears nothing ends by itself, and is replaced although the database hears nothing of that', async ({
  onTestFinished,
}) => {
  const { database, launchPair } = await openScene(onTestFinished);
  const proxy = await createSilentProxy(database.url);
  onTestFinished(() => proxy.close());
  const { first, standby } = await launchPair({ lockUrl: proxy.url });
  proxy.fallSilent();
  expect(await first.exited).toBe(75);
  expect(first.lines).toContain('lost: the database does not answer');
  await says(standby, 'written');
});

test.concurrent('a holder whose main thread is busy for two leases keeps the lock, although another one waits for it', async ({
  onTestFinished,
}) => {
  const { launchPair } = await openScene(onTestFinished);
  const { first, standby } = await launchPair({ afterwards: { blockForMs: 2 * leaseMs } });
  await says(first, 'continues');
  expect(first.lines.filter((line) => line.includes('lost'))).toEqual([]);
  expect(standby.lines.filter((line) => line.includes('written'))).toEqual([]);
});

test.concurrent('a holder that was frozen for two leases continues if nobody has taken its place', async ({
  onTestFinished,
}) => {
  const { client, launch } = await openScene(onTestFinished);
  const holder = launch();
  await says(holder, 'written');
  holder.signal('SIGSTOP');
  await waitUntil('two leases are over', async () => {
    const { rows } = await client.query(
      `select now() - max(state_change) > $1 * interval '1 millisecond' as is_over from pg_stat_activity
       where datname = current_database() and application_name = $2`,
      [2 * leaseMs, `${schema} lock`],
    );
    return rows[0]?.is_over === true;
  });
  const stoodStill = new Date();
  holder.signal('SIGCONT');
  await waitUntil('it renews its lease', async () => {
    const { rows } = await client.query(
      `select max(state_change) > $1 as is_renewed from pg_stat_activity
       where datname = current_database() and application_name = $2`,
      [stoodStill, `${schema} lock`],
    );
    return rows[0]?.is_renewed === true;
  });
  expect(holder.lines.filter((line) => line.includes('lost'))).toEqual([]);
});

test.concurrent("the database refuses a former holder's writes in a new session", async ({
  onTestFinished,
}) => {
  const { launchPair } = await openScene(onTestFinished);
  const { first, standby } = await launchPair({ afterwards: 'goOn' });
  first.signal('SIGSTOP');
  await says(standby, 'written');
  first.signal('SIGCONT');
  await says(first, `refused: another indexer has taken over the index ${schema}`);
  expect(standby.lines.filter((line) => line.includes('lost'))).toEqual([]);
});

test.concurrent('a frozen standby does not hinder another one', async ({ onTestFinished }) => {
  const { client, launch, launchPair } = await openScene(onTestFinished);
  const { first, standby } = await launchPair();
  standby.signal('SIGSTOP');
  first.signal('SIGKILL');
  await first.exited;
  const third = launch();
  await says(third, 'written');
  standby.signal('SIGCONT');
  const { rows } = await client.query('select now() as now');
  await waitUntil('the one that stood still asks for the lock again', async () => {
    const asked = await client.query(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and application_name = $1 and query_start > $2`,
      [`${schema} lock`, rows[0]?.now],
    );
    return asked.rows[0]?.count === 2;
  });
  expect(standby.lines.filter((line) => line.includes('written'))).toEqual([]);
  expect(third.lines.filter((line) => line.includes('lost'))).toEqual([]);
});

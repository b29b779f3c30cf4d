import { expect, test } from 'vitest';
import { createDatabaseProxy } from '../support/databaseProxy.ts';
import { createSilentProxy } from '../support/silentProxy.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { openLockScene, says, schema } from './support/lockScene.ts';

test.concurrent('a frozen holder is replaced, loses its uncommitted work, and ends when it continues', async ({
  onTestFinished,
}) => {
  const { launchPair } = await openLockScene(onTestFinished);
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
  const { database, launchPair } = await openLockScene(onTestFinished);
  const proxy = await createSilentProxy(database.url);
  onTestFinished(() => proxy.close());
  const { first, standby } = await launchPair({ lockUrl: proxy.url });
  proxy.fallSilent();
  expect(await first.exited).toBe(75);
  expect(first.lines).toContain('lost: the database does not answer');
  await says(standby, 'written');
});

test.concurrent("the database refuses a former holder's writes in a new session", async ({
  onTestFinished,
}) => {
  const { launchPair } = await openLockScene(onTestFinished);
  const { first, standby } = await launchPair({ afterwards: 'goOn' });
  first.signal('SIGSTOP');
  await says(standby, 'written');
  first.signal('SIGCONT');
  await says(first, `refused: another indexer has taken over the index ${schema}`);
  expect(standby.lines.filter((line) => line.includes('lost'))).toEqual([]);
});

test.concurrent('a frozen standby does not hinder another one', async ({ onTestFinished }) => {
  const { client, launch, launchPair } = await openLockScene(onTestFinished);
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

test.concurrent('a database that stays away is reported once for each reason', async ({ onTestFinished }) => {
  const { database, launch } = await openLockScene(onTestFinished);
  let connections = 0;
  const proxy = await createDatabaseProxy(database.url, (client, upstream) => {
    if (++connections > 8) client.pipe(upstream).pipe(client);
    else client.destroy();
  });
  onTestFinished(() => proxy.close());
  const holder = launch({ lockUrl: proxy.url });
  await says(holder, 'written');
  const reports = holder.lines.filter((line) => line.includes('the database is not reachable'));
  const reasons = new Set(reports.map((line) => JSON.parse(line).reason));
  expect(reports).toHaveLength(reasons.size);
  // Broken connections end with a few different words.
  expect([1, 2, 3]).toContain(reports.length);
});

import { expect, test } from 'vitest';
import { leaseMs, openLockScene, says, schema } from '../index/support/lockScene.ts';
import { waitUntil } from '../support/waitUntil.ts';

test.concurrent('a holder at work keeps the lock far beyond its lease', async ({ onTestFinished }) => {
  const { client, launchPair } = await openLockScene(onTestFinished);
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

test.concurrent('a holder whose main thread is busy for two leases keeps the lock, although another one waits for it', async ({
  onTestFinished,
}) => {
  const { launchPair } = await openLockScene(onTestFinished);
  const { first, standby } = await launchPair({ afterwards: { blockForMs: 2 * leaseMs } });
  await says(first, 'continues');
  expect(first.lines.filter((line) => line.includes('lost'))).toEqual([]);
  expect(standby.lines.filter((line) => line.includes('written'))).toEqual([]);
});

test.concurrent('a holder that was frozen for two leases continues if nobody has taken its place', async ({
  onTestFinished,
}) => {
  const { client, launch } = await openLockScene(onTestFinished);
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

import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase } from '../../../src/platform/database/database.ts';
import { withFoldTransaction } from '../../../src/worker/projector/withFoldTransaction.ts';
import { createSilentProxy } from '../../support/silentProxy.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { chainId, createFixture, type Fixture, silent } from './support/setup.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
  await fixture.index.deploy();
});
afterAll(() => fixture.close());

const common = { chainId, isGated: true, isExclusive: false };

test('a worker whose machine is lost between two transactions of a fold keeps others from folding for seconds only', async () => {
  const proxy = await createSilentProxy(fixture.url);
  const lost = createDatabase({
    url: proxy.url,
    applicationName: 'lost',
    maxConnections: 1,
    logger: silent,
  });
  let isLost = false;
  const folding = withFoldTransaction(
    { ...common, pool: lost.pool },
    {
      fold: async (transaction) => void (await transaction.execute(sql`select 1`)),
      follow() {
        proxy.fallSilent();
        isLost = true;
        return async () => false;
      },
    },
  );
  // The rejection is handled where it is awaited below.
  folding.catch(() => {});
  const foldElsewhere = () =>
    withFoldTransaction(
      { ...common, pool: fixture.pool },
      { fold: async () => 'folded', follow: () => null },
    );
  try {
    await waitUntil('the worker is lost', () => isLost);
    expect(await foldElsewhere()).toBeUndefined();
    await waitUntil('another worker folds', foldElsewhere, 30_000);
  } finally {
    // This ends the lost worker's query, which would wait half a minute for its answer.
    await proxy.close();
    await expect(folding).rejects.toThrow();
    await lost.close();
  }
});

test('a session that folds may rest again afterwards', async () => {
  const { url } = fixture;
  const one = createDatabase({ url, applicationName: 'one', maxConnections: 1, logger: silent });
  try {
    await withFoldTransaction(
      { ...common, pool: one.pool },
      { fold: async () => 'folded', follow: () => null },
    );
    expect((await one.pool.query('show idle_session_timeout')).rows).toEqual([{ idle_session_timeout: '0' }]);
  } finally {
    await one.close();
  }
});

import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { startAnvil } from '../../src/cli/devtools/anvil.ts';
import { catchUp, startIndexer } from '../support/indexer.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { waitUntil } from '../support/waitUntil.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

test('an index takes the place of an earlier one, which is dropped unless another indexer works on it', async () => {
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  const anvil = await startAnvil({ chainId: 59141 });
  cleanups.push(() => anvil.stop());
  const chains = [{ chainId: 59141, rpcUrl: anvil.rpcUrl }];
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  cleanups.push(() => client.end());
  const listIndexes = async () => {
    const { rows } = await client.query<{ name: string }>(
      `select nspname as name from pg_namespace where nspname like 'chain\\_index\\_%' order by nspname`,
    );
    return rows.map(({ name }) => name);
  };
  const launch = async (startBlock: number) => {
    const env = { START_BLOCK_59141: String(startBlock), INDEX_PRUNE_SECONDS: '1' };
    const indexer = await startIndexer({ databaseUrl: database.url, chains, env });
    cleanups.push(() => indexer.stop());
    await indexer.ready();
    await catchUp(database.url, chains);
    return indexer;
  };

  const first = await launch(0);
  const [earlier] = await listIndexes();
  // The first indexer continues beside the second, as during the rollout of a new version.
  const second = await launch(1);
  await waitUntil('the second has looked for earlier indexes', () =>
    second.lines.some((line) => line.includes('another indexer works on an earlier index')),
  );
  expect(await listIndexes()).toContain(earlier);
  await first.stop();
  await waitUntil('the first index is dropped', async () => (await listIndexes()).length === 1);
  expect(await listIndexes()).not.toContain(earlier);
  const { rows } = await client.query('select count(*)::int as heads from chain_index.heads');
  expect(rows).toEqual([{ heads: 1 }]);
});

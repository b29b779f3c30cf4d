import pg from 'pg';
import { expect, type TestContext, test } from 'vitest';
import { deploy, submission } from '../index/support/agreements.ts';
import { expectIndexEqualsChain } from '../index/support/expectIndex.ts';
import { startTestChain } from '../index/support/testChain.ts';
import { catchUp, startIndexer } from '../support/indexer.ts';
import { createLyingNode } from '../support/lyingNode.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { waitUntil } from '../support/waitUntil.ts';

/**
 * Two chains, and an indexer of both. The second chain's node can fall silent. Everything ends with the test.
 */
async function createWorld(onTestFinished: TestContext['onTestFinished']) {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  onTestFinished(() => pool.end());
  const [going, silent] = [await startTestChain(84532), await startTestChain(59141)];
  for (const { stop } of [going, silent]) onTestFinished(stop);
  const node = await createLyingNode(silent.rpcUrl);
  onTestFinished(() => node.close());
  const chains = [going, { chainId: silent.chainId, rpcUrl: node.url }];
  return {
    database,
    going,
    silent,
    node,
    async launch(env: Record<string, string> = {}) {
      const starts = { START_BLOCK_84532: '0', START_BLOCK_59141: '0' };
      const options = {
        databaseUrl: database.url,
        chains,
        env: { RPC_TIMEOUT_MS: '1000', ...starts, ...env },
      };
      const indexer = await startIndexer(options);
      onTestFinished(async () => {
        await indexer.stop();
      });
      return indexer;
    },
    async readSilent(): Promise<number[]> {
      const { rows } = await pool.query<{ chain_id: number }>('select chain_id from indexer.silent_chains');
      return rows.map(({ chain_id }) => chain_id);
    },
    async listIndexes(): Promise<string[]> {
      const { rows } = await pool.query<{ name: string }>(
        `select nspname as name from pg_namespace where nspname like 'chain\\_index\\_%'`,
      );
      return rows.map(({ name }) => name);
    },
  };
}

test.concurrent('a chain whose nodes are silent at the start holds up no other, and is taken in without a new index once one answers', async ({
  onTestFinished,
}) => {
  const { database, going, silent, node, ...world } = await createWorld(onTestFinished);
  const agreements = { going: await deploy(going), silent: await deploy(silent) };
  const first = await world.launch();
  await first.ready();
  await catchUp(database.url, [going, silent]);
  await first.stop();
  const indexes = await world.listIndexes();

  node.tell('silent');
  await silent.send(submission(agreements.silent, 'toggle'));
  const second = await world.launch();
  await second.ready();
  await going.send(submission(agreements.going, 'toggle'));
  await catchUp(database.url, [going]);
  await expectIndexEqualsChain(database.url, going);
  expect(await world.readSilent()).toEqual([silent.chainId]);
  expect(second.lines.filter((line) => line.includes('no node of this chain answers'))).toHaveLength(1);

  node.tell(undefined);
  expect(await second.exited).toEqual({ code: 75, signal: null });
  const third = await world.launch();
  await third.ready();
  await catchUp(database.url, [going, silent]);
  for (const chain of [going, silent]) await expectIndexEqualsChain(database.url, chain);
  expect(await world.readSilent()).toEqual([]);
  expect(await world.listIndexes()).toEqual(indexes);
});

test.concurrent('the first index of an installation begins without a chain whose nodes are silent', async ({
  onTestFinished,
}) => {
  const { database, going, silent, node, ...world } = await createWorld(onTestFinished);
  await deploy(going);
  await deploy(silent);
  node.tell('silent');
  const first = await world.launch();
  await first.ready();
  await catchUp(database.url, [going]);
  await expectIndexEqualsChain(database.url, going);

  node.tell(undefined);
  expect(await first.exited).toEqual({ code: 75, signal: null });
  await (await world.launch()).ready();
  await catchUp(database.url, [going, silent]);
  await expectIndexEqualsChain(database.url, silent);
  expect(await world.listIndexes()).toHaveLength(1);
});

test.concurrent('an index that is to take the place of another one waits for all of its chains', async ({
  onTestFinished,
}) => {
  const { database, going, silent, node, ...world } = await createWorld(onTestFinished);
  await deploy(going);
  const first = await world.launch();
  await first.ready();
  await catchUp(database.url, [going]);
  await first.stop();

  node.tell('silent');
  const second = await world.launch({ START_BLOCK_84532: '1' });
  await waitUntil('it waits', () =>
    second.lines.some((line) => line.includes('waits for all of its chains')),
  );
  expect(await world.listIndexes()).toHaveLength(1);
  node.tell(undefined);
  expect(await second.exited).toEqual({ code: 75, signal: null });
});

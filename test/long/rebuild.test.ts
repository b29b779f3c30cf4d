import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp, createServer as createTcpServer } from 'node:net';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { deploy, submission } from '../index/support/agreements.ts';
import { expectIndexEqualsChain } from '../index/support/expectIndex.ts';
import { startTestChain } from '../index/support/testChain.ts';
import { catchUp, startIndexer } from '../support/indexer.ts';
import { createLyingNode } from '../support/lyingNode.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { waitUntil } from '../support/waitUntil.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** Publishes the node at an address of this machine that does not count as local. */
async function publish(rpcUrl: string): Promise<string> {
  const proxy = createTcpServer((socket) => {
    const upstream = connectTcp(Number(new URL(rpcUrl).port), '127.0.0.1');
    for (const one of [socket, upstream])
      one.on('error', () => [socket, upstream].map((each) => each.destroy()));
    socket.pipe(upstream).pipe(socket);
  });
  proxy.listen(0, '127.0.0.2');
  await once(proxy, 'listening');
  cleanups.push(async () => proxy.close());
  const { port }: AddressInfo = Object(proxy.address());
  return `http://127.0.0.2:${port}`;
}

/**
 * Three chains: one is reorganised below its final block, one has a node that can fall silent, and one works
 * normally.
 */
async function createWorld() {
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  cleanups.push(() => pool.end());
  const [replaced, going, silent] = await Promise.all([84532, 59141, 11155111].map(startTestChain));
  if (!replaced || !going || !silent) throw new Error('there are three chains');
  cleanups.push(replaced.stop, going.stop, silent.stop);
  const node = await createLyingNode(silent.rpcUrl);
  cleanups.push(() => node.close());
  const chains = [
    { chainId: replaced.chainId, rpcUrl: await publish(replaced.rpcUrl) },
    going,
    { chainId: silent.chainId, rpcUrl: node.url },
  ];
  const starts = chains.map(({ chainId }) => [`START_BLOCK_${chainId}`, '0']);
  const env = { RPC_TIMEOUT_MS: '1000', INDEX_PRUNE_SECONDS: '1', ...Object.fromEntries(starts) };
  return {
    databaseUrl: database.url,
    ...{ replaced, going, silent, node },
    async launch() {
      const indexer = await startIndexer({ databaseUrl: database.url, chains, env });
      cleanups.push(() => indexer.stop());
      return indexer;
    },
    async listIndexes(): Promise<string[]> {
      const { rows } = await pool.query<{ name: string }>(
        `select nspname as name from pg_namespace where nspname like 'chain\\_index\\_%' order by 1`,
      );
      return rows.map(({ name }) => name);
    },
    async listWriters(): Promise<string[]> {
      const { rows } = await pool.query<{ name: string }>(
        `select distinct split_part(application_name, ' ', 1) as name from pg_stat_activity
         where datname = current_database() and application_name like '% ponder %'`,
      );
      return rows.map(({ name }) => name);
    },
  };
}

test('while the index of a chain is made anew, and cannot be since another one is silent, the served index goes on with the others', async () => {
  const { databaseUrl, replaced, going, silent, node, ...world } = await createWorld();
  const deployedAt = await replaced.client.getBlockNumber();
  const agreements = {
    replaced: await deploy(replaced),
    going: await deploy(going),
    silent: await deploy(silent),
  };
  await replaced.client.mine({ blocks: 40 });
  const first = await world.launch();
  await first.ready();
  await catchUp(databaseUrl, [replaced, going, silent]);
  await first.stop();
  const [served] = await world.listIndexes();

  node.tell('silent');
  await replaced.dropBlocks(Number((await replaced.client.getBlockNumber()) - deployedAt));
  await deploy(replaced);
  await replaced.client.mine({ blocks: 80 });
  expect(await (await world.launch()).exited).toEqual({ code: 75, signal: null });

  const second = await world.launch();
  await waitUntil('it waits', () =>
    second.lines.some((line) => line.includes('waits for all of its chains')),
  );
  await going.send(submission(agreements.going, 'toggle'));
  await catchUp(databaseUrl, [going]);
  await expectIndexEqualsChain(databaseUrl, going);
  expect(await world.listWriters()).toEqual([served]);

  await silent.send(submission(agreements.silent, 'toggle'));
  node.tell(undefined);
  expect(await second.exited).toEqual({ code: 75, signal: null });
  const third = await world.launch();
  await third.ready();
  for (const chain of [replaced, going, silent]) await expectIndexEqualsChain(databaseUrl, chain);
  await waitUntil('the earlier index is dropped', async () => (await world.listIndexes()).length === 1);
  expect(await world.listIndexes()).not.toContain(served);
  expect(await world.listWriters()).toEqual(await world.listIndexes());
});

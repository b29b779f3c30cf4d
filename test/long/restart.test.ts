import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect as connectTcp, createServer as createTcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { parseEventLogs } from 'viem';
import { expect, type TestContext, test } from 'vitest';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { startPostgres } from '../../src/cli/devtools/postgres.ts';
import { deploy, permittedSubmission, submission } from '../index/support/agreements.ts';
import { expectIndexEqualsChain } from '../index/support/expectIndex.ts';
import { startTestChain } from '../index/support/testChain.ts';
import { catchUp, type IndexerOptions, startIndexer } from '../support/indexer.ts';
import { listenLocally } from '../support/listenLocally.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { makeScratchDirectory } from '../support/scratchDirectory.ts';
import { waitUntil } from '../support/waitUntil.ts';

/** A chain with an agreement, and functions that create more. Everything ends with the test. */
async function openScene(onTestFinished: TestContext['onTestFinished']) {
  const chain = await startTestChain(84532);
  onTestFinished(() => chain.stop());
  const agreement = await deploy(chain);
  return {
    chain,
    agreement,
    /** Creates a database in the server that all tests share. */
    async createDatabase(): Promise<string> {
      const database = await createTestDatabase();
      onTestFinished(() => database.drop());
      return database.url;
    },
    async launchIndexer(databaseUrl: string, options: Partial<IndexerOptions> = {}) {
      const indexer = await startIndexer({ databaseUrl, chains: [chain], ...options });
      onTestFinished(async () => {
        await indexer.stop();
      });
      return indexer;
    },
    async sendInputs(count: number): Promise<void> {
      for (let sent = 0; sent < count; sent++) {
        const nonce = await chain.readNonce(agreement);
        await chain.send(submission(agreement, 'toggle'));
        await chain.send(await permittedSubmission(chain, { agreement, name: 'toggle', nonce }));
      }
    },
    async connect(url: string): Promise<pg.Client> {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      onTestFinished(() => client.end());
      return client;
    },
    /**
     * Reads the index in one snapshot: its head, and the number of inputs up to there. Null while it shows no
     * head.
     */
    async look(client: pg.Client): Promise<Sight | null> {
      const { rows } = await client
        .query(
          `select number as head, (
             select count(*)::int from chain_index.inputs where chain_id = heads.chain_id and block_number <= heads.number
           ) as inputs from chain_index.heads where chain_id = $1`,
          [chain.chainId],
        )
        // While another index takes over, the view is missing for a moment.
        .catch(() => ({ rows: [] }));
      return rows[0] ? { head: BigInt(rows[0].head), inputs: rows[0].inputs } : null;
    },
  };
}

type Sight = { head: bigint; inputs: number };

test.concurrent('a standby takes over when the indexer is killed, at once, and up to its head the index lacks nothing at any time', async ({
  onTestFinished,
}) => {
  const { chain, agreement, createDatabase, launchIndexer, sendInputs, connect, look } =
    await openScene(onTestFinished);
  const databaseUrl = await createDatabase();
  const first = await launchIndexer(databaseUrl);
  await first.ready();
  const standby = await launchIndexer(databaseUrl);
  await waitUntil('the second indexer stands by', () =>
    standby.lines.some((line) => line.includes('standing by')),
  );
  await catchUp(databaseUrl, [chain]);

  const client = await connect(databaseUrl);
  const sights: Sight[] = [];
  let isOver = false;
  const watching = waitUntil(
    'the test is over',
    async () => {
      const sight = await look(client);
      if (sight) sights.push(sight);
      return isOver;
    },
    Number.POSITIVE_INFINITY,
  );
  await sendInputs(10);
  await waitUntil('some inputs are indexed', () => sights.some(({ inputs }) => inputs > 10));
  const sending = sendInputs(10);
  await first.kill();
  await standby.ready();
  await sending;
  await catchUp(databaseUrl, [chain]);
  isOver = true;
  await watching;

  await expectIndexEqualsChain(databaseUrl, chain);
  expect(standby.lines.filter((line) => line.includes('Schema is locked'))).toEqual([]);
  const logs = parseEventLogs({
    abi: agreementEngineAbi,
    eventName: 'InputAccepted',
    logs: await chain.client.getLogs({ address: agreement, fromBlock: 0n }),
  });
  for (const { head, inputs } of sights) {
    expect(inputs, `up to block ${head}`).toBe(logs.filter(({ blockNumber }) => blockNumber <= head).length);
  }
});

test.concurrent('a standby takes over from a frozen indexer, which writes nothing when it continues', async ({
  onTestFinished,
}) => {
  const { chain, createDatabase, launchIndexer, sendInputs, connect } = await openScene(onTestFinished);
  const databaseUrl = await createDatabase();
  const first = await launchIndexer(databaseUrl);
  await first.ready();
  await catchUp(databaseUrl, [chain]);
  const standby = await launchIndexer(databaseUrl);
  await waitUntil('the second indexer stands by', () =>
    standby.lines.some((line) => line.includes('standing by')),
  );
  const client = await connect(databaseUrl);
  const listSessions = async () => {
    const { rows } = await client.query<{ name: string; pid: number }>(
      `select application_name as name, pid from pg_stat_activity
       where datname = current_database() and application_name like 'chain\\_index\\_%'`,
    );
    return rows;
  };
  const before = await listSessions();
  expect(before.filter(({ name }) => name.includes(' ponder ')).length).toBeGreaterThan(0);
  const waiting = await client.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where datname = current_database() and application_name like 'chain\\_index\\_% lock'
     and pid not in (select pid from pg_locks where locktype = 'advisory' and granted)`,
  );

  process.kill(first.pid, 'SIGSTOP');
  try {
    await sendInputs(3);
    await standby.ready();
    await catchUp(databaseUrl, [chain]);
    expect(waiting.rows).not.toEqual([]);
    const kept = new Set(waiting.rows.map(({ pid }) => pid));
    const earlier = new Set(before.map(({ pid }) => pid).filter((pid) => !kept.has(pid)));
    expect((await listSessions()).filter(({ pid }) => earlier.has(pid))).toEqual([]);
  } finally {
    process.kill(first.pid, 'SIGCONT');
  }
  expect(await first.exited).toEqual({ code: 75, signal: null });
  await sendInputs(3);
  await catchUp(databaseUrl, [chain]);
  await expectIndexEqualsChain(databaseUrl, chain);
  expect(await standby.stop()).toEqual({ code: 0, signal: null });
});

test.concurrent('an indexer that loses its database ends for another start, which continues from the stored data', async ({
  onTestFinished,
}) => {
  const { chain, launchIndexer, sendInputs } = await openScene(onTestFinished);
  const dataDirectory = await makeScratchDirectory('agreements-data-');
  onTestFinished(() => rm(dataDirectory, { recursive: true }));
  const server = await startPostgres({ dataDirectory });
  onTestFinished(() => server.stop());
  const indexer = await launchIndexer(server.url);
  await indexer.ready();
  await catchUp(server.url, [chain]);
  await sendInputs(3);

  await server.kill();
  expect(await indexer.exited).toEqual({ code: 75, signal: null });

  await sendInputs(3);
  const again = await launchIndexer(server.url);
  await waitUntil('it waits', () =>
    again.lines.some((line) => line.includes('the database is not reachable')),
  );
  const restarted = await startPostgres({ dataDirectory, port: server.port });
  onTestFinished(() => restarted.stop());
  await again.ready();
  await catchUp(server.url, [chain]);
  await expectIndexEqualsChain(server.url, chain);
  expect(await again.stop()).toEqual({ code: 0, signal: null });
});

test.concurrent('a block from before live indexing is seen without another one, and a silent websocket delays nothing', async ({
  onTestFinished,
}) => {
  const { chain, createDatabase, launchIndexer, sendInputs } = await openScene(onTestFinished);
  const databaseUrl = await createDatabase();
  const silent = createServer();
  const { url, close } = await listenLocally(silent);
  const sockets: Duplex[] = [];
  silent.on('upgrade', (_request, socket) => sockets.push(socket));
  onTestFinished(close);
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
  });
  const indexer = await launchIndexer(databaseUrl, { env: { WS_URL_84532: url.replace('http:', 'ws:') } });
  await indexer.ready();
  await catchUp(databaseUrl, [chain]);
  await indexer.kill();
  await sendInputs(1);
  const again = await launchIndexer(databaseUrl, { env: { WS_URL_84532: url.replace('http:', 'ws:') } });
  await again.ready();
  await expectIndexEqualsChain(databaseUrl, chain);
});

test.concurrent('a public chain that was reorganised below its final block is given up alone, and its index made anew', async ({
  onTestFinished,
}) => {
  const { chain, createDatabase, launchIndexer, sendInputs, connect, look } = await openScene(onTestFinished);
  const databaseUrl = await createDatabase();
  const other = await startTestChain(59141);
  onTestFinished(() => other.stop());
  await deploy(other);
  // At 127.0.0.2 the chain counts as a public one, not as a local node.
  const proxy = createTcpServer((socket) => {
    const upstream = connectTcp(Number(new URL(chain.rpcUrl).port), '127.0.0.1');
    for (const one of [socket, upstream])
      one.on('error', () => [socket, upstream].map((each) => each.destroy()));
    socket.pipe(upstream).pipe(socket);
  });
  proxy.listen(0, '127.0.0.2');
  await once(proxy, 'listening');
  onTestFinished(async () => {
    proxy.close();
  });
  const { port }: AddressInfo = Object(proxy.address());
  const chains = [{ chainId: chain.chainId, rpcUrl: `http://127.0.0.2:${port}` }, other];
  const launch = () =>
    launchIndexer(databaseUrl, { chains, env: { START_BLOCK_84532: '0', INDEX_PRUNE_SECONDS: '1' } });
  const client = await connect(databaseUrl);
  const readRebuilds = async () =>
    (await client.query('select chain_id, generation, done_at is not null as is_done from indexer.rebuilds'))
      .rows;

  const deployedAt = await chain.client.getBlockNumber();
  await sendInputs(1);
  await chain.client.mine({ blocks: 40 });
  const first = await launch();
  await first.ready();
  await expectIndexEqualsChain(databaseUrl, chain);
  await first.stop();

  await chain.dropBlocks(Number((await chain.client.getBlockNumber()) - deployedAt));
  await sendInputs(2);
  await chain.client.mine({ blocks: 80 });
  const second = await launch();
  expect(await second.exited).toEqual({ code: 75, signal: null });
  expect(second.lines.filter((line) => line.includes('dropping and rebuilding its index'))).toHaveLength(1);
  expect(await readRebuilds()).toEqual([{ chain_id: 84532, generation: 1, is_done: false }]);
  // The old index is served until the new one is ready.
  expect((await look(client))?.inputs).toBe(2);

  const third = await launch();
  await third.ready();
  for (const one of [chain, other]) await expectIndexEqualsChain(databaseUrl, one);
  await waitUntil('the rebuild is noted as done', async () => (await readRebuilds())[0]?.is_done);
});

test.concurrent('an index of a local chain that lost its final blocks is given up and rebuilt, and dropped if the chain is replaced again', async ({
  onTestFinished,
}) => {
  const { chain, createDatabase, launchIndexer, sendInputs, connect, look } = await openScene(onTestFinished);
  const databaseUrl = await createDatabase();
  const deployedAt = await chain.client.getBlockNumber();
  await sendInputs(1);
  await chain.client.mine({ blocks: 40 });
  const first = await launchIndexer(databaseUrl);
  await first.ready();
  await catchUp(databaseUrl, [chain]);
  await expectIndexEqualsChain(databaseUrl, chain);

  await chain.dropBlocks(Number((await chain.client.getBlockNumber()) - deployedAt));
  expect(await first.exited).toEqual({ code: 75, signal: null });
  // The old index is served until the new one is ready.
  expect((await look(await connect(databaseUrl)))?.inputs).toBe(2);
  await sendInputs(2);
  const second = await launchIndexer(databaseUrl);
  await second.ready();
  await catchUp(databaseUrl, [chain]);
  await expectIndexEqualsChain(databaseUrl, chain);
  await second.stop();

  const anew = await startTestChain(84532);
  onTestFinished(() => anew.stop());
  const third = await launchIndexer(databaseUrl, { chains: [anew] });
  await third.ready();
  await catchUp(databaseUrl, [anew]);
  await expectIndexEqualsChain(databaseUrl, anew);
});

import { createServer } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Address } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startAnvil } from '../../src/cli/devtools/anvil.ts';
import { findFreePort } from '../../src/cli/devtools/freePort.ts';
import { catchUp, type Indexer, type IndexerOptions, startIndexer } from '../support/indexer.ts';
import { listenLocally } from '../support/listenLocally.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { deploy, permittedCreation } from './support/agreements.ts';
import { readIndexRows } from './support/indexRows.ts';
import { startTestChain, type TestChain } from './support/testChain.ts';

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function makeDatabase(): Promise<string> {
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  return database.url;
}

async function launch(options: IndexerOptions) {
  const indexer = await startIndexer(options);
  cleanups.push(() => indexer.stop());
  return indexer;
}

async function launchAnvil(options: { chainId: number; port?: number }) {
  const anvil = await startAnvil(options);
  cleanups.push(() => anvil.stop());
  return anvil;
}

test('a node of another chain ends the start with a sentence that names the variable', async () => {
  const databaseUrl = await makeDatabase();
  const { rpcUrl, port } = await launchAnvil({ chainId: 84532 });
  const chains = [{ chainId: 59141, rpcUrl }];
  const indexer = await launch({ databaseUrl, chains });
  expect(await indexer.exited).toEqual({ code: 1, signal: null });
  expect(indexer.lines).toEqual([
    'The configuration is invalid:',
    `  - RPC_URL_59141: 127.0.0.1:${port} is a node of chain 84532, not of 59141 (Linea Sepolia)`,
  ]);
});

test('a variable that is missing ends the start with its name', async () => {
  const indexer = await launch({
    databaseUrl: 'postgres://127.0.0.1/none',
    chains: [],
    env: { CHAINS: '59141' },
  });
  expect(await indexer.exited).toEqual({ code: 1, signal: null });
  expect(indexer.lines.join('\n')).toContain('RPC_URL_59141');
});

test('a node that does not answer is waited for; other nodes of its chain may stay away', async () => {
  const databaseUrl = await makeDatabase();
  const port = await findFreePort();
  const rpcUrl = `http://127.0.0.1:1,http://127.0.0.1:${port}`;
  const indexer = await launch({ databaseUrl, chains: [{ chainId: 59141, rpcUrl }] });
  await waitUntil('it waits', () =>
    indexer.lines.some((line) => line.includes('waiting for a node of this chain')),
  );
  await launchAnvil({ chainId: 59141, port });
  await waitUntil('the chain answers', () =>
    indexer.lines.some((line) => line.includes('the chain answers')),
  );
});

test('user and password of a node are sent as basic authorization', async () => {
  const databaseUrl = await makeDatabase();
  const anvil = await launchAnvil({ chainId: 59141 });
  const provider = await listenLocally(
    createServer(async (request, response) => {
      const expected = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
      if (request.headers.authorization !== expected) return void response.writeHead(401).end();
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(anvil.rpcUrl, { method: 'POST', headers, body: await text(request) });
      response.writeHead(200, headers).end(await answer.text());
    }),
  );
  cleanups.push(provider.close);
  const rpcUrl = provider.url.replace('//', '//user:p%40ss@');
  const indexer = await launch({ databaseUrl, chains: [{ chainId: 59141, rpcUrl }] });
  await waitUntil('the chain is followed', () =>
    indexer.lines.some((line) => line.includes('Started live indexing')),
  );
});

test('a database that is not there ends the start with one line of JSON', async () => {
  const databaseUrl = new URL(await makeDatabase());
  databaseUrl.pathname = '/absent';
  const { rpcUrl } = await launchAnvil({ chainId: 59141 });
  const indexer = await launch({ databaseUrl: databaseUrl.href, chains: [{ chainId: 59141, rpcUrl }] });
  expect(await indexer.exited).toEqual({ code: 1, signal: null });
  expect(JSON.parse(indexer.lines.at(-1) ?? '')).toMatchObject({
    level: 60,
    process: 'indexer',
    err: { message: expect.stringContaining('database "absent" does not exist') },
    msg: 'the indexer could not start',
  });
});

test.each([
  ['a database that is not there', { pathname: '/absent' }, 'database "absent" does not exist'],
  ['a role that is not there', { username: 'nobody' }, '"nobody"'],
])('%s ends the start at once, though no node answers', async (_, wrong, message) => {
  const databaseUrl = Object.assign(new URL(await makeDatabase()), wrong).href;
  const rpcUrl = `http://127.0.0.1:${await findFreePort()}`;
  const indexer = await launch({ databaseUrl, chains: [{ chainId: 59141, rpcUrl }] });
  expect(await indexer.exited).toEqual({ code: 1, signal: null });
  expect(JSON.parse(indexer.lines.at(-1) ?? '')).toMatchObject({
    err: { message: expect.stringContaining(message) },
    msg: 'the indexer could not start',
  });
});

test('a node of another chain ends the start while the database is away', async () => {
  const { rpcUrl } = await launchAnvil({ chainId: 84532 });
  const databaseUrl = `postgres://127.0.0.1:${await findFreePort()}/none`;
  const indexer = await launch({ databaseUrl, chains: [{ chainId: 59141, rpcUrl }] });
  expect(await indexer.exited).toEqual({ code: 1, signal: null });
  expect(indexer.lines.at(-1)).toContain('is a node of chain 84532, not of 59141');
});

test('a database that comes up after the nodes have answered is waited for', async () => {
  const database = new URL(await makeDatabase());
  const { rpcUrl } = await launchAnvil({ chainId: 59141 });
  const port = await findFreePort();
  const databaseUrl = Object.assign(new URL(database), { host: `127.0.0.1:${port}` }).href;
  const indexer = await launch({ databaseUrl, chains: [{ chainId: 59141, rpcUrl }] });
  const hasSaid = (text: string) => () => indexer.lines.some((line) => line.includes(text));
  await waitUntil('the chain answers', hasSaid('the chain answers'));
  await waitUntil('it waits', hasSaid('the database is not reachable'));
  const server = createTcpServer((socket) => {
    const upstream = connect(Number(database.port), database.hostname);
    socket.pipe(upstream).pipe(socket);
    for (const end of [socket, upstream]) end.on('error', () => {});
  });
  server.listen(port, '127.0.0.1');
  cleanups.push(async () => void server.close());
  await waitUntil('it goes on', hasSaid('"indexing"'));
  await indexer.stop();
});

test('an indexer that is asked to stop while it waits for a node stops', async () => {
  const databaseUrl = await makeDatabase();
  const rpcUrl = `http://127.0.0.1:${await findFreePort()}`;
  const indexer = await launch({ databaseUrl, chains: [{ chainId: 59141, rpcUrl }] });
  await waitUntil('it waits', () =>
    indexer.lines.some((line) => line.includes('waiting for a node of this chain')),
  );
  expect(await indexer.stop()).toEqual({ code: 0, signal: null });
});

describe('an indexer that runs', () => {
  const closings: (() => Promise<unknown>)[] = [];
  let databaseUrl: string;
  let chain: TestChain;
  let indexer: Indexer;
  /** Deployed after the start block, by the third and the fourth permit of their signer. */
  const agreements: Address[] = [];
  let isRefusing = false;

  beforeAll(async () => {
    const database = await createTestDatabase();
    closings.push(database.drop);
    databaseUrl = database.url;
    chain = await startTestChain(11155111);
    closings.push(chain.stop);
    for (const nonce of [0n, 1n]) await deploy(chain, await permittedCreation(chain, { nonce }));
    const startBlock = (await chain.client.getBlockNumber()) + 1n;
    for (const nonce of [2n, 3n])
      agreements.push(await deploy(chain, await permittedCreation(chain, { nonce })));
    const provider = await listenLocally(
      createServer(async (request, response) => {
        const body = await text(request);
        // Ponder does not report a refused request for the newest block, so that request gets an answer.
        if (isRefusing && !body.includes('"latest"')) return void response.writeHead(403).end();
        const headers = { 'content-type': 'application/json' };
        const answer = await fetch(chain.rpcUrl, { method: 'POST', headers, body });
        response.end(await answer.text());
      }),
    );
    closings.push(provider.close);
    indexer = await startIndexer({
      databaseUrl,
      chains: [{ chainId: chain.chainId, rpcUrl: `${provider.url}/?key=provider-secret` }],
      env: {
        START_BLOCK_11155111: String(startBlock),
        // Hosting platforms set it to another database, and Ponder would use it.
        DATABASE_PRIVATE_URL: 'postgresql://127.0.0.1:1/other',
        LOG_LEVEL: 'trace',
      },
    });
    closings.push(() => indexer.stop());
    await indexer.ready();
    await catchUp(databaseUrl, [chain]);
  });
  afterAll(async () => {
    for (const close of closings.reverse()) await close();
  });

  test('where permits were consumed before the start block, their nonces are counted on from the chain', async () => {
    const rows = await readIndexRows(databaseUrl, chain.chainId);
    const nonceOf = new Map(rows.agreements.map(({ address, permit_nonce }) => [address, permit_nonce]));
    expect(agreements.map((address) => nonceOf.get(address.toLowerCase()))).toEqual(['2', '3']);
    expect(rows.permit_counts.map(({ count }) => count)).toEqual(['4']);
  });

  test('no line that it prints holds the key in the URL of a node', async () => {
    isRefusing = true;
    await deploy(chain);
    await waitUntil('a request has failed', () =>
      indexer.lines.some((line) => line.includes('URL: http://127.0.0.1')),
    );
    expect(indexer.lines.filter((line) => line.includes('provider-secret'))).toEqual([]);
  });
});

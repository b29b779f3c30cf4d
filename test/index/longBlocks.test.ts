import { randomBytes } from 'node:crypto';
import { type Address, concat, toEventSelector } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catchUp, type Indexer, startIndexer } from '../support/indexer.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createDisturbedNode, type DisturbedNode } from '../support/relayNode.ts';
import { buildContent, creation, deploy, submission } from './support/agreements.ts';
import { expectIndexEqualsChain } from './support/expectIndex.ts';
import { type Call, startTestChain, type TestChain } from './support/testChain.ts';

/** Providers set such limits for one answer, most often 10,000. */
const mostLogs = 1_000;
const tooMany = { error: { code: -32_005, message: `query returned more than ${mostLogs} results` } };

let database: TestDatabase;
let chain: TestChain;
let node: DisturbedNode;
let indexer: Indexer;
let refused = 0;
let isSilent = false;

beforeAll(async () => {
  database = await createTestDatabase();
  chain = await startTestChain(59141);
  node = await createDisturbedNode(chain.rpcUrl, async ({ method, params }) => {
    if (isSilent) return 'loseRequest';
    if (method !== 'eth_getLogs') return undefined;
    const logs = await chain.client.request<{ Method: string; Parameters: unknown[]; ReturnType: unknown[] }>(
      {
        method,
        params,
      },
    );
    if (logs.length <= mostLogs) return undefined;
    refused++;
    return tooMany;
  });
  indexer = await start(database);
  await indexer.ready();
  await catchUp(database.url, [chain]);
});
afterAll(async () => {
  await indexer?.stop();
  await node?.close();
  await chain?.stop();
  await database?.drop();
});

function start({ url }: TestDatabase): Promise<Indexer> {
  return startIndexer({ databaseUrl: url, chains: [{ chainId: chain.chainId, rpcUrl: node.url }] });
}

/** A stranger's call that emits 1,001 logs with a topic of agreements. */
async function buildFlood(): Promise<Call> {
  const to: Address = `0x${randomBytes(20).toString('hex')}`;
  const topic = toEventSelector('InputAccepted(bytes32,bytes32,bytes32,bytes)');
  // PUSH2 1001, then in a loop: PUSH32 topic, LOG1 without data, count down, JUMPI.
  const bytecode = concat(['0x6103e95b7f', topic, '0x5f5fa1600190038060035700']);
  await chain.client.setCode({ address: to, bytecode });
  return { to, data: '0x' };
}

test('a block with more logs than the node gives at once is indexed whole', async () => {
  const flood = await buildFlood();
  const before = refused;
  await chain.sendInOneBlock([creation(chain), flood, creation(chain)]);
  await expectIndexEqualsChain(database.url, chain);
  expect(refused).toBeGreaterThan(before);
  await deploy(chain);
  await expectIndexEqualsChain(database.url, chain);
});

test('so are several such blocks after a pause, with inputs of agreements that were created just before', async () => {
  const floods = [await buildFlood(), await buildFlood()];
  isSilent = true;
  const agreements: Address[] = [];
  for (const flood of floods) {
    const agreement = await deploy(chain);
    agreements.push(agreement);
    const inputs = agreements.map((one) => submission(one, 'note'));
    await chain.sendInOneBlock([...inputs, flood, creation(chain)]);
  }
  await deploy(chain);
  isSilent = false;
  await expectIndexEqualsChain(database.url, chain);
});

test('a new index is built past such blocks, with more than a thousand agreements', async () => {
  const content = buildContent({ inputDefs: [], transitions: [], initVars: [], verifiers: [], actions: [] });
  // From a thousand addresses on, Ponder asks for the logs of all contracts.
  const calls = Array.from({ length: 50 }, () => creation(chain, content));
  for (let round = 0; round < 21; round++) await chain.send(chain.inOneTransaction(calls));
  await chain.sendInOneBlock([await buildFlood(), creation(chain)]);
  await chain.client.mine({ blocks: 70 });
  const other = await createTestDatabase();
  const second = await start(other);
  const before = refused;
  try {
    await second.ready();
    await expectIndexEqualsChain(other.url, chain);
    expect(refused).toBeGreaterThan(before);
  } finally {
    await second.kill();
    await other.drop();
  }
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeDataFields } from '../../src/protocol/index.ts';
import { startIndexer } from '../support/indexer.ts';
import { createLyingNode } from '../support/lyingNode.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { deploy, submission, textField } from './support/agreements.ts';
import { expectIndexEqualsChain } from './support/expectIndex.ts';
import { startTestChain, type TestChain } from './support/testChain.ts';

/** The lengths of a text in each input of the chain with large inputs. */
const sizes = Array.from({ length: 40 }, (_, at) => (at % 4) * 20_000);

const cleanups: (() => Promise<unknown>)[] = [];
let database: TestDatabase;
let large: TestChain;
/** Its node lacks the last blocks of the past at first. */
let short: TestChain;
/** How many ranges of logs that node did not have to their end. */
let lacking: number;

beforeAll(async () => {
  database = await createTestDatabase();
  cleanups.push(() => database.drop());
  [large, short] = await Promise.all([startTestChain(84532), startTestChain(59141)]);
  cleanups.push(large.stop, short.stop);
  await Promise.all([sendLarge(large), sendSmall(short)]);
  const node = await createLyingNode(short.rpcUrl);
  cleanups.push(node.close);
  node.tell('shortLogs');
  const chains = [large, { chainId: short.chainId, rpcUrl: node.url }];
  const indexer = await startIndexer({ databaseUrl: database.url, chains });
  cleanups.push(() => indexer.stop());
  await waitUntil('logs are missing', () => node.countShort() > 1);
  lacking = node.countShort();
  node.tell(undefined);
  await indexer.ready();
});
afterAll(async () => {
  for (const clean of cleanups.reverse()) await clean();
});

async function sendLarge(chain: TestChain): Promise<void> {
  const agreement = await deploy(chain);
  for (const size of sizes) {
    const payload = encodeDataFields([textField('remark', `\\t\n${'x'.repeat(size)}`)]);
    await chain.send(submission(agreement, 'toggle', payload));
  }
  await chain.client.mine({ blocks: 40 });
}

async function sendSmall(chain: TestChain): Promise<void> {
  const agreement = await deploy(chain);
  for (let sent = 0; sent < 5; sent++) await chain.send(submission(agreement, 'toggle'));
  // The past ends thirty blocks before the newest one. The node ends at the deployment.
  await chain.client.mine({ blocks: 35 });
}

test('large inputs of the past, which are written in portions, are in the index as they are on the chain', async () => {
  await expectIndexEqualsChain(database.url, large);
  expect(sizes.reduce((sum, size) => sum + 2 * size)).toBeGreaterThan(2 * 1_048_576);
});

test('a node that lacks the last blocks of the past takes no input out of a new index', async () => {
  expect(lacking).toBeGreaterThan(1);
  await expectIndexEqualsChain(database.url, short);
  expect(await short.client.getBlockNumber()).toBeGreaterThan(40n);
});

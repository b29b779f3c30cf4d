import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catchUp, type Indexer, startIndexer } from '../support/indexer.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createDisturbedNode, type DisturbedNode } from '../support/relayNode.ts';
import { waitUntil } from '../support/waitUntil.ts';
import {
  creation,
  deploy,
  deployedAgreements,
  permittedCreation,
  permittedSubmission,
  submission,
} from './support/agreements.ts';
import { expectIndexEqualsChain } from './support/expectIndex.ts';
import { readIndexRows } from './support/indexRows.ts';
import { startTestChain, type TestChain } from './support/testChain.ts';

let database: TestDatabase;
let chain: TestChain;
let other: TestChain;
/** A chain whose node may hide the logs of single blocks. */
let hiding: TestChain;
let node: DisturbedNode;
let areLogsHidden = false;
/** The blocks whose logs were asked for while they were hidden, and later too. */
const asked: string[] = [];
let indexer: Indexer;
/** An agreement on the other chain, where no block is ever replaced. */
let untouched: Address;

beforeAll(async () => {
  database = await createTestDatabase();
  [chain, other, hiding] = await Promise.all([
    startTestChain(59141),
    startTestChain(84532),
    startTestChain(11155111),
  ]);
  untouched = await deploy(other);
  node = await createDisturbedNode(hiding.rpcUrl, ({ method, params }) => {
    // Some calls have no parameters.
    const { blockHash } = Object(params?.[0]);
    if (method !== 'eth_getLogs' || blockHash === undefined) return undefined;
    if (areLogsHidden || asked.includes(blockHash)) asked.push(blockHash);
    if (!areLogsHidden) return undefined;
    return { error: { code: -32_000, message: 'unknown block' } };
  });
  const chains = [chain, other, { chainId: hiding.chainId, rpcUrl: node.url }];
  indexer = await startIndexer({ databaseUrl: database.url, chains });
  await indexer.ready();
  await catchUp(database.url, chains);
});

afterAll(async () => {
  await indexer?.stop();
  await node?.close();
  await Promise.all([chain?.stop(), other?.stop(), hiding?.stop()]);
  await database?.drop();
});

/**
 * Sends each in its own block: a deployment with a permit, then inputs with and without a permit, so that
 * counts and states change too.
 */
async function sendBlocks(count: number): Promise<Hex[]> {
  const deployment = await chain.send(
    await permittedCreation(chain, { nonce: await chain.readFactoryNonce() }),
  );
  const [agreement] = deployedAgreements(deployment);
  if (!agreement) throw new Error('the transaction deployed no agreement');
  const calls = [
    submission(agreement, 'toggle'),
    await permittedSubmission(chain, { agreement, name: 'toggle', nonce: 0n }),
    await permittedSubmission(chain, { agreement, name: 'note', nonce: 1n }),
    creation(chain),
  ];
  const hashes = [deployment.transactionHash];
  for (const call of calls.slice(0, count - 1)) hashes.push((await chain.send(call)).transactionHash);
  return hashes;
}

test.for([1, 2, 3, 4, 5])(
  'after a reorg of depth %i the index matches the chain, and again when everything comes back',
  async (depth) => {
    const hashes = await sendBlocks(depth);
    expect(hashes.length).toBe(depth);
    await expectIndexEqualsChain(database.url, chain);
    const before = await readIndexRows(database.url, chain.chainId);
    // After a reorg Ponder undoes all later events on every chain and runs them again. This event must not be
    // lost.
    await other.send(submission(untouched, 'toggle'));
    await expectIndexEqualsChain(database.url, other);
    const raw = await Promise.all(hashes.map((hash) => chain.readRawTransaction(hash)));

    await chain.dropBlocks(depth);
    await expectIndexEqualsChain(database.url, chain);
    await expectIndexEqualsChain(database.url, other);
    const without = await readIndexRows(database.url, chain.chainId);
    expect(without.agreements.length).toBeLessThan(before.agreements.length);

    for (const transaction of raw) await chain.sendRaw(transaction);
    await expectIndexEqualsChain(database.url, chain);
    const again = await readIndexRows(database.url, chain.chainId);
    const places = ({ agreements, inputs }: typeof again) =>
      [...agreements, ...inputs].map((row) => [
        row.transaction_hash,
        row.transaction_ordinal,
        row.permit_nonce,
      ]);
    expect(places(again)).toEqual(places(before));
    expect(again.blocks).not.toEqual(before.blocks);
    await expectIndexEqualsChain(database.url, other);
  },
);

test('a block that is replaced before its logs are read is soon given up, and the index goes on with the chain', async () => {
  const agreement = await deploy(hiding);
  await expectIndexEqualsChain(database.url, hiding);
  areLogsHidden = true;
  await hiding.send(submission(agreement, 'toggle'));
  await waitUntil('its logs are asked for', () => asked.length > 0);
  const [vanished] = asked;
  await hiding.dropBlocks(1);
  // While the block was there, it was asked for as often as the chain took to drop it.
  const before = asked.length;
  areLogsHidden = false;
  await hiding.send(submission(agreement, 'toggle'));
  await expectIndexEqualsChain(database.url, hiding);
  expect(asked.slice(before).filter((hash) => hash === vanished).length).toBeLessThanOrEqual(3);
});

import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catchUp, type Indexer, startIndexer } from '../support/indexer.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
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
let indexer: Indexer;
/** An agreement on the other chain, where no block is ever replaced. */
let untouched: Address;

beforeAll(async () => {
  database = await createTestDatabase();
  [chain, other] = await Promise.all([startTestChain(59141), startTestChain(84532)]);
  untouched = await deploy(other);
  indexer = await startIndexer({ databaseUrl: database.url, chains: [chain, other] });
  await indexer.ready();
  await catchUp(database.url, [chain, other]);
});

afterAll(async () => {
  await indexer?.stop();
  await Promise.all([chain?.stop(), other?.stop()]);
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

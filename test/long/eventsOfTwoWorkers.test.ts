import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type DatabaseHandle } from '../../src/platform/database/database.ts';
import { compileAgreement } from '../../src/protocol/compileAgreement.ts';
import { hashDeploymentContent } from '../../src/protocol/deploymentContent.ts';
import { createProjector } from '../../src/worker/projector/projector.ts';
import { permittedCreation, submission } from '../index/support/agreements.ts';
import { accounts, startTestChain, type TestChain } from '../index/support/testChain.ts';
import { readFeed, summarise } from '../service/events/support/readFeed.ts';
import { payloadOf } from '../service/projector/support/chain.ts';
import { lampVariables } from '../service/projector/support/lamp.ts';
import { annotate, lamp, toggle } from '../service/projector/support/scene.ts';
import * as service from '../service/projector/support/serviceRows.ts';
import { silent } from '../service/projector/support/setup.ts';
import { type Indexer, startIndexer } from '../support/indexer.ts';
import { patienceMs } from '../support/patience.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { waitUntil } from '../support/waitUntil.ts';

const chainId = 59141;
const confirmations = 3;
const closings: (() => Promise<unknown>)[] = [];
let chain: TestChain;
let handle: DatabaseHandle;
let start: (startBlock: number) => Promise<Indexer>;

beforeAll(async () => {
  const { url, drop } = await createMigratedDatabase();
  closings.push(drop);
  chain = await startTestChain(chainId);
  closings.push(chain.stop);
  const connect = (applicationName: string) => {
    const made = createDatabase({ url, applicationName, maxConnections: 4, logger: silent });
    closings.push(made.close);
    return made;
  };
  handle = connect('test');
  for (const name of ['one worker', 'another worker']) {
    const projector = createProjector({
      pool: connect(name).pool,
      databaseUrl: url,
      chains: [{ chainId, confirmations, reorgWindow: 60 }],
      logger: silent,
      pollIntervalMs: 500,
    });
    closings.push(projector.close);
  }
  start = async (startBlock) => {
    const env = { [`START_BLOCK_${chainId}`]: String(startBlock) };
    const started = await startIndexer({ databaseUrl: url, chains: [chain], env });
    closings.push(() => started.stop());
    await started.ready();
    return started;
  };
});
afterAll(async () => {
  for (const close of closings.reverse()) await close();
});

async function count(condition: string): Promise<number> {
  const { rows } = await handle.pool.query<{ count: number }>(
    `select count(*)::int as count from service.events where ${condition}`,
  );
  return rows[0]?.count ?? 0;
}

const awaitCount = (condition: string, wanted: number) =>
  waitUntil(`${wanted} events are ${condition}`, async () => (await count(condition)) === wanted, patienceMs);

/** Mines blocks until everything on the chain is confirmed, and waits until all events are released. */
async function confirm(): Promise<void> {
  await chain.client.mine({ blocks: confirmations });
  const hash = await chain.latestHash();
  await waitUntil(
    'all is folded and released',
    async () => {
      const query = 'select 1 from service.projections where chain_id = $1 and head_hash = $2';
      const { rowCount } = await handle.pool.query(query, [chainId, hash]);
      return rowCount === 1 && (await count(`state = 'pending'`)) === 0;
    },
    patienceMs,
  );
}

test('two workers tell every transition once, through reorganisations, a killed indexer and an index built anew', async () => {
  const { database } = handle;
  const principalId = await service.insertPrincipal(database);
  const content = compileAgreement(lamp.agreement, { docUri: lamp.docUri, values: lampVariables });
  const deployTransactionId = await service.insertTransaction(database, {
    ...{ chainId, signer: accounts.signer.address, nonce: 0n },
    kind: 'deploy',
    contract: chain.factory,
    contentHash: hashDeploymentContent(content),
  });
  const recordId = await service.insertRecord(database, { principalId, chainId, lamp, deployTransactionId });
  const readTold = async () => (await readFeed(handle.pool, principalId)).events;
  const tellShort = async () => summarise(await readTold());
  const indexer = await start(0);

  await chain.send(await permittedCreation(chain, { nonce: 0n, content }));
  await confirm();
  expect(await tellShort()).toEqual(['>dark __deploy 0']);
  const { rows } = await handle.pool.query<{ address: Address }>(
    'select address from service.records where id = $1',
    [recordId],
  );
  const address = rows[0]?.address ?? '0x';
  const press = async (brightness: string): Promise<Hex> => {
    const { transactionHash } = await chain.send(
      submission(address, 'toggle', payloadOf(lamp, toggle(brightness))),
    );
    return transactionHash;
  };
  const waiting = `state = 'pending'`;

  // A shallow reorg; the transaction comes back.
  const first = await press('5');
  await awaitCount(waiting, 1);
  const { rows: stored } = await handle.pool.query<{ id: string }>(
    `select id from service.events where ${waiting}`,
  );
  const rawFirst = await chain.readRawTransaction(first);
  await chain.dropBlocks(1);
  await chain.client.mine({ blocks: 1 });
  await awaitCount(`state = 'withdrawn'`, 1);
  await chain.sendRaw(rawFirst);
  await confirm();
  expect(await tellShort()).toEqual(['>dark __deploy 0', 'dark>lit toggle 1']);
  expect((await readTold())[1]?.id).toBe(stored[0]?.id);

  // A shallow reorg; the transaction does not come back.
  await press('6');
  await chain.send(submission(address, 'annotate', payloadOf(lamp, annotate('bright'))));
  await awaitCount(waiting, 1);
  await chain.dropBlocks(2);
  await confirm();
  expect(await count(`state = 'withdrawn'`)).toBe(1);
  expect(await tellShort()).toEqual(['>dark __deploy 0', 'dark>lit toggle 1']);

  // A reorg deeper than the confirmations; the transaction comes back. The record is corrected, and the event
  // is not sent again.
  const third = await press('7');
  const rawThird = await chain.readRawTransaction(third);
  await confirm();
  const before = await readTold();
  expect(summarise(before)).toEqual(['>dark __deploy 0', 'dark>lit toggle 1', 'lit>dark toggle 2']);
  await chain.dropBlocks(confirmations + 1);
  await chain.client.mine({ blocks: 1 });
  await waitUntil(
    'the record is corrected',
    async () => {
      const { rows: corrected } = await handle.pool.query<{ state: string }>(
        'select state from service.records where id = $1',
        [recordId],
      );
      return corrected[0]?.state === 'lit';
    },
    patienceMs,
  );
  await chain.sendRaw(rawThird);
  await confirm();
  expect(await readTold()).toEqual(before);

  await indexer.kill();
  await press('8');
  const restarted = await start(0);
  await confirm();
  expect((await readTold()).slice(0, 3)).toEqual(before);
  expect((await tellShort()).slice(3)).toEqual(['dark>lit toggle 3']);

  await restarted.stop();
  await start(1);
  await press('9');
  await confirm();
  expect((await readTold()).slice(0, 3)).toEqual(before);
  expect((await tellShort()).slice(3)).toEqual(['dark>lit toggle 3', 'lit>dark toggle 4']);
  // Starts three indexers one after the other, which takes half a minute on an idle machine. On a busy one,
  // each start alone may take a minute.
}, 300_000);

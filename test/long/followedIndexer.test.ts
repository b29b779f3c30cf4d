import { eq } from 'drizzle-orm';
import { getAddress } from 'viem';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { createDatabase, type DatabaseHandle } from '../../src/platform/database/database.ts';
import { inputs } from '../../src/platform/database/tables/inputs.ts';
import { records } from '../../src/platform/database/tables/records.ts';
import { transactions } from '../../src/platform/database/tables/transactions.ts';
import { compileAgreement } from '../../src/protocol/compileAgreement.ts';
import { hashDeploymentContent } from '../../src/protocol/deploymentContent.ts';
import { nameHash } from '../../src/protocol/names.ts';
import { createProjector } from '../../src/worker/projector/projector.ts';
import { permittedCreation, permittedSubmission, submission } from '../index/support/agreements.ts';
import { accounts, startTestChain, type TestChain } from '../index/support/testChain.ts';
import { payloadOf } from '../service/projector/support/chain.ts';
import { lampVariables } from '../service/projector/support/lamp.ts';
import { annotate, lamp, toggle } from '../service/projector/support/scene.ts';
import * as service from '../service/projector/support/serviceRows.ts';
import { silent } from '../service/projector/support/setup.ts';
import { type Indexer, startIndexer } from '../support/indexer.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { waitUntil } from '../support/waitUntil.ts';

/** One test kills an indexer and starts it again. That takes up to half a minute on an idle machine. */
vi.setConfig({ testTimeout: 180_000 });

const chainId = 59141;
const signer = accounts.signer.address;
const closings: (() => Promise<unknown>)[] = [];
let chain: TestChain;
let handle: DatabaseHandle;
let start: () => Promise<Indexer>;
let indexer: Indexer;

beforeAll(async () => {
  const testDatabase = await createMigratedDatabase();
  closings.push(testDatabase.drop);
  const { url } = testDatabase;
  chain = await startTestChain(chainId);
  closings.push(chain.stop);
  handle = createDatabase({ url, applicationName: 'test', maxConnections: 5, logger: silent });
  closings.push(handle.close);
  const projector = createProjector({
    pool: handle.pool,
    databaseUrl: url,
    chains: [{ chainId, confirmations: 1, reorgWindow: 60 }],
    logger: silent,
    pollIntervalMs: 500,
  });
  closings.push(projector.close);
  start = async () => {
    const started = await startIndexer({ databaseUrl: url, chains: [chain] });
    closings.push(() => started.stop());
    await started.ready();
    return started;
  };
  indexer = await start();
});
afterAll(async () => {
  for (const close of closings.reverse()) await close();
});

const content = compileAgreement(lamp.agreement, { docUri: lamp.docUri, values: lampVariables });
const permit = (nonce: bigint) => ({ chainId, signer, nonce });

async function readRecord(id: string) {
  const [record] = await handle.database.select().from(records).where(eq(records.id, id));
  if (!record) throw new Error('the record is gone');
  return record;
}

async function readTransaction(id: string) {
  const [transaction] = await handle.database.select().from(transactions).where(eq(transactions.id, id));
  return transaction?.state;
}

const readHistory = (recordId: string) =>
  handle.database.select().from(inputs).where(eq(inputs.recordId, recordId)).orderBy(inputs.position);

test('a record follows its contract through submissions of all kinds, a reorganisation and a killed indexer', async () => {
  const { database } = handle;
  const principalId = await service.insertPrincipal(database);
  const deployTransactionId = await service.insertTransaction(database, {
    ...permit(0n),
    kind: 'deploy',
    contract: chain.factory,
    contentHash: hashDeploymentContent(content),
  });
  const recordId = await service.insertRecord(database, { principalId, chainId, lamp, deployTransactionId });

  // Every observed state of the record, to compare it with the contract at its block and with the state
  // before.
  const sights: { block: bigint; stateHash: string; inputCount: number }[] = [];
  const look = async () => {
    const { stateBlockNumber: block, stateHash, inputCount } = await readRecord(recordId);
    if (block !== null && stateHash !== null) sights.push({ block, stateHash, inputCount });
    return sights.at(-1);
  };
  const hasInputs = (inputCount: number) =>
    waitUntil(`the record has ${inputCount} inputs`, async () => (await look())?.inputCount === inputCount);
  const checkSights = async (address: `0x${string}`) => {
    for (const { block, stateHash } of new Map(sights.map((sight) => [`${sight.block}`, sight])).values()) {
      const question = {
        abi: agreementEngineAbi,
        address,
        functionName: 'currentState',
        blockNumber: block,
      } as const;
      expect(await chain.client.readContract(question), `state at block ${block}`).toBe(stateHash);
    }
  };

  await chain.send(await permittedCreation(chain, { nonce: 0n, content }));
  await waitUntil('the record is Deployed', async () => (await readRecord(recordId)).status === 'Deployed');
  const { address, state, owner } = await readRecord(recordId);
  if (!address) throw new Error('a Deployed record without an address');
  expect({ address, state, owner }).toEqual({ address: getAddress(address), state: 'dark', owner: signer });
  expect(await readTransaction(deployTransactionId)).toBe('mined');

  const transactionId = await service.insertTransaction(database, {
    ...permit(0n),
    kind: 'input',
    contract: address,
    contentHash: service.contentHashOf(lamp, toggle('5')),
  });
  const own = {
    principalId,
    recordId,
    chainId,
    agreement: address,
    lamp,
    input: toggle('5'),
    transactionId,
    signer,
  };
  const inputId = await service.insertSubmission(database, own);
  const payload = payloadOf(lamp, toggle('5'));
  const permitted = await permittedSubmission(chain, {
    agreement: address,
    name: 'toggle',
    nonce: 0n,
    payload,
  });
  await chain.send(permitted);
  await chain.send(submission(address, 'annotate', payloadOf(lamp, annotate('bright'))));
  await chain.send(chain.throughContract(submission(address, 'toggle', payloadOf(lamp, toggle('7')))));
  await hasInputs(3);
  const history = await readHistory(recordId);
  const { submitter } = accounts;
  expect(history.map((row) => [row.position, row.signer, row.submitter, row.transactionId])).toEqual([
    [1, signer, submitter.address, transactionId],
    [2, submitter.address, submitter.address, null],
    [3, null, null, null],
  ]);
  expect(history[0]?.id).toBe(inputId);
  expect((await readRecord(recordId)).variables).toMatchObject({ brightness: '7', remark: 'bright' });
  await checkSights(address);

  await chain.dropBlocks(3);
  await chain.client.mine({ blocks: 1 });
  await hasInputs(0);
  expect(await readTransaction(transactionId)).toBe('accepted');
  expect(await readHistory(recordId)).toMatchObject([{ id: inputId, status: 'PENDING' }]);
  expect(await readRecord(recordId)).toMatchObject({ state: 'dark', variables: lampVariables });
  await chain.send(permitted);
  await hasInputs(1);
  expect(await readHistory(recordId)).toMatchObject([{ id: inputId, status: 'MINED' }]);

  sights.length = 0;
  const toggleTwice = async () => {
    for (const brightness of ['8', '9']) {
      await chain.send(submission(address, 'toggle', payloadOf(lamp, toggle(brightness))));
    }
  };
  await toggleTwice();
  await hasInputs(3);
  await indexer.kill();
  await toggleTwice();
  await look();
  let isBack = false;
  const restarted = start().finally(() => {
    isBack = true;
  });
  await waitUntil('the indexer is back', async () => (await look()) && isBack);
  await restarted;
  await toggleTwice();
  await hasInputs(7);
  await checkSights(address);
  const counts = sights.map(({ inputCount }) => inputCount);
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect((await readRecord(recordId)).stateHash).toBe(await chain.readState(address));
  expect((await readRecord(recordId)).stateHash).toBe(nameHash('lit'));
});

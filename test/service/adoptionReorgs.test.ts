import { type Address, encodeFunctionData, type Hex } from 'viem';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { recordShape } from '../../src/api/shapes/resources.ts';
import { encodeInputPayload } from '../../src/protocol/encodePayload.ts';
import { nameHash } from '../../src/protocol/names.ts';
import { catchUp } from '../support/indexer.ts';
import { createLyingNode } from '../support/lyingNode.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { createCall } from './support/call.ts';
import { deployDirectly } from './support/directDeployment.ts';
import { buildLease } from './support/documents.ts';
import { type IndexedService, startIndexedService } from './support/indexedService.ts';
import { chainId } from './support/testChain.ts';
import { startTestApi, type TestPrincipal } from './support/testService.ts';

let setting: IndexedService;
let principal: TestPrincipal;
let landlord: Address;
let tenant: Address;
beforeAll(async () => {
  setting = await startIndexedService({ DEPLOY_WAIT_MS: '120000', CONSISTENCY_WAIT_MS: '120000' });
  principal = await setting.service.createPrincipal();
  const [, first = '0x', second = '0x'] = await setting.chain.client.getAddresses();
  [landlord, tenant] = [first, second];
});
afterAll(() => setting?.close());

const read = async <Row extends object>(query: string, ...values: unknown[]) =>
  (await setting.service.handle.pool.query<Row>(query, values)).rows;
const reorganise = (depth: number, sent: readonly (readonly [object, number])[] = []) =>
  setting.chain.client.request({ method: 'anvil_reorg', params: [depth, sent] } as never);
const mine = () => setting.chain.client.mine({ blocks: 1 });

/** A lease on the chain that the service does not know, and the transaction in which its tenant accepts it. */
async function deployed() {
  const { chain } = setting;
  const lease = buildLease(chain.token);
  const agreement = { ...lease, metadata: { ...lease.metadata, name: `Lease ${crypto.randomUUID()}` } };
  const address = await deployDirectly(chain, { agreement, values: { landlord, tenant, rent: '5' } });
  const payload = encodeInputPayload(agreement, 'accept', { months: '4', remark: 'gladly' });
  const args = [nameHash('accept'), payload] as const;
  const data = encodeFunctionData({ abi: agreementEngineAbi, functionName: 'submitInput', args });
  return {
    acceptance: { from: tenant, to: address, data },
    body: { chainId, address, agreement, displayName: 'Found lease' },
  };
}

const adopt = async (body: unknown, { call } = principal) =>
  recordShape.parse((await call('POST', '/v0/agreements/import', { body })).body.data).id;
const send = async ({ from, to, data }: { from: Address; to: Address; data: Hex }) =>
  setting.chain.client.sendTransaction({ account: from, chain: null, to, data });
const awaitBlock = (id: string, isThere: (number: bigint) => boolean) =>
  waitUntil('the acceptance is folded', async () => {
    const [row] = await read<{ number: string }>(
      `select block_number as number from service.inputs where record_id = $1 and sequence = 1`,
      id,
    );
    return row && isThere(BigInt(row.number)) ? BigInt(row.number) : undefined;
  });
const listStates = async (id: string) =>
  (await read<{ state: string }>('select state from service.events where record_id = $1', id)).map(
    ({ state }) => state,
  );

test('a transition that a reorg puts before an adoption, which it follows, is announced', async () => {
  const { acceptance, body } = await deployed();
  await mine();
  const latest = await setting.chain.client.getBlockNumber();
  const id = await adopt(body);
  await reorganise(1, [[acceptance, 0]]);
  await mine();
  expect(await awaitBlock(id, () => true)).toBe(latest);
  await waitUntil('its event is released', async () => (await listStates(id)).join() === 'released');
});

test('a history that a reorg puts after its adoption is announced to nobody', async () => {
  const { client } = setting.chain;
  const { acceptance, body } = await deployed();
  const hash = await send(acceptance);
  const raw = await client.request({ method: 'eth_getRawTransactionByHash', params: [hash] } as never);
  await mine();
  const latest = await client.getBlockNumber();
  const id = await adopt(body);
  await reorganise(2);
  await mine();
  await client.sendRawTransaction({ serializedTransaction: raw as Hex });
  await mine();
  await awaitBlock(id, (number) => number > latest);
  expect(await listStates(id)).toEqual([]);
});

test('the history that the index lacks at an adoption is what a node tells of it, as far as it has the blocks', async () => {
  const { chain, indexer, service } = setting;
  const { acceptance, body } = await deployed();
  await catchUp(service.databaseUrl, [{ chainId, rpcUrl: chain.rpcUrl }]);
  await indexer.stop();
  const transactionHash = await send(acceptance);
  await mine();
  const node = await createLyingNode(chain.rpcUrl);
  const hasty = await startTestApi(service.databaseUrl, {
    rpcUrls: { [chainId]: node.url },
    env: { DEPLOY_WAIT_MS: '1' },
  });
  onTestFinished(async () => {
    await hasty.close();
    await node.close();
  });
  const adoptHastily = async ({ key }: TestPrincipal) => {
    const id = await adopt(body, { ...principal, call: createCall(hasty.baseUrl, key) });
    const keys = await read(
      'select transaction_hash as "transactionHash", ordinal from service.adopted_inputs where record_id = $1',
      id,
    );
    const [border] = await read(
      `select adopted_through > number as "isAhead" from service.records
       join chain_index.heads using (chain_id) where id = $1`,
      id,
    );
    return { keys, ...border };
  };
  const told = { keys: [{ transactionHash, ordinal: 0 }], isAhead: true };
  expect(await adoptHastily(principal)).toEqual(told);
  // The logs come from a node that lacks the acceptance's block.
  node.tell('shortLogs');
  expect(await adoptHastily(await service.createPrincipal())).toEqual({ keys: [], isAhead: false });
  node.tell('absurdHead');
  expect(await adoptHastily(await service.createPrincipal())).toEqual({ keys: [], isAhead: false });
});

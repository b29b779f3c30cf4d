import { type Address, encodeFunctionData, type Hex } from 'viem';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { z } from 'zod';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../abis/AgreementFactory.ts';
import { recordShape } from '../../src/api/shapes/resources.ts';
import { compileAgreement, encodeInputPayload, nameHash, type WireValues } from '../../src/protocol/index.ts';
import { catchUp } from '../support/indexer.ts';
import { createLyingNode } from '../support/lyingNode.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { createCall } from './support/call.ts';
import { deployDirectly } from './support/directDeployment.ts';
import { buildLease } from './support/documents.ts';
import { type IndexedService, startIndexedService } from './support/indexedService.ts';
import { createAccount, signInput } from './support/permits.ts';
import { chainId } from './support/testChain.ts';
import { startTestApi, type TestPrincipal } from './support/testService.ts';

let setting: IndexedService;
let principal: TestPrincipal;
let landlord: Address;
let tenant: Address;
beforeAll(async () => {
  setting = await startIndexedService({
    ...{ DEPLOY_WAIT_MS: '120000', CONSISTENCY_WAIT_MS: '120000', SIGNING_WAIT_MS: '1000' },
  });
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
/** The creation of an agreement of this document with other values, as an account of the chain sends it. */
function createTwin(agreement: unknown, values: WireValues) {
  const p = compileAgreement(agreement, { values });
  const parts = [p.docUri, p.docHash, p.initialState, p.inputDefs, p.transitions, p.initVars] as const;
  const args = [...parts, p.verifiers, p.actions] as const;
  const data = encodeFunctionData({ abi: agreementFactoryAbi, functionName: 'createAgreement', args });
  return { from: landlord, to: setting.chain.factory, data, gas: '0x4c4b40' };
}
const awaitRecord = (id: string, isRight: (record: z.output<typeof recordShape>) => boolean) =>
  waitUntil('the record is folded', async () => {
    const record = recordShape.parse((await principal.call('GET', `/v0/agreements/${id}`)).body.data);
    return isRight(record) ? record : undefined;
  });
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

test('a record does not become another agreement of its document that a reorg puts at its address', async () => {
  const { client } = setting.chain;
  const account = createAccount();
  const lease = buildLease(setting.chain.token);
  const agreement = { ...lease, metadata: { ...lease.metadata, name: `Lease ${crypto.randomUUID()}` } };
  const parties = { landlord, tenant: account.address };
  const address = await deployDirectly(setting.chain, { agreement, values: { ...parties, rent: '5' } });
  const { transactions, number } = await client.getBlock();
  const raw = await client.request({
    method: 'eth_getRawTransactionByHash',
    params: [transactions[0]],
  } as never);
  const body = { chainId, address, agreement, displayName: 'Found lease' };
  const id = await adopt(body);
  const input = await setting.worker.hold(async () => {
    const values = { months: '4', remark: 'for a rent of 5' };
    const signed = await signInput({
      account,
      agreement,
      agreementAddress: address,
      chainId,
      inputId: 'accept',
      values,
    });
    const sent = principal.call('POST', `/v0/agreements/${id}/input`, { body: signed.body });
    const [stored] = await waitUntil('the input is stored', async () => {
      const rows = await read<{ id: string }>('select id from service.inputs where record_id = $1', id);
      return rows.length > 0 ? rows : undefined;
    });
    await reorganise(1, [[createTwin(agreement, { ...parties, rent: '9000' }), 0]]);
    await client.mine({ blocks: 2 });
    const [lost] = await waitUntil('the input has failed', async () => {
      const rows = await read<{ error: unknown }>(
        `select error from service.inputs where id = $1 and status = 'FAILED'`,
        stored?.id,
      );
      return rows.length > 0 ? rows : undefined;
    });
    await sent;
    return lost;
  });
  expect(input?.error).toMatchObject({ reason: 'agreement_moved' });
  expect(await awaitRecord(id, ({ status }) => status === 'Draft')).toMatchObject({
    variables: { rent: '5' },
  });

  const twin = await adopt({ ...body, displayName: 'Other lease' });
  expect(twin).not.toBe(id);
  const other = await awaitRecord(twin, ({ status }) => status === 'Deployed');
  expect(other.variables).toMatchObject({ rent: '9000' });
  expect((await awaitRecord(id, () => true)).onChain.error).toMatchObject({ reason: 'agreement_replaced' });

  await reorganise(Number((await client.getBlockNumber()) - number) + 1, [[raw as never, 0]]);
  await client.mine({ blocks: 2 });
  const again = await awaitRecord(id, ({ status }) => status === 'Deployed');
  expect(again).toMatchObject({ address, variables: { rent: '5' } });
  expect(await awaitRecord(twin, ({ status }) => status === 'Draft')).not.toHaveProperty('address');
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

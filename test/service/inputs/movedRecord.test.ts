import { afterAll, beforeAll, expect, test } from 'vitest';
import { inputRecordShape, recordShape } from '../../../src/api/shapes/resources.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { createCall } from '../support/call.ts';
import { reference } from '../support/documents.ts';
import { type IndexedService, startIndexedService } from '../support/indexedService.ts';
import { outcome } from '../support/outcome.ts';
import { createAccount, signDeploy, signInput } from '../support/permits.ts';
import { chainId } from '../support/testChain.ts';
import { startTestApi, type TestApi, type TestPrincipal } from '../support/testService.ts';

let setting: IndexedService;
let api: TestApi;
beforeAll(async () => {
  setting = await startIndexedService();
  const env = { ADMISSION_MAX_LAG_SECONDS: '86400', SIGNING_WAIT_MS: '120000' };
  api = await startTestApi(setting.service.databaseUrl, {
    rpcUrls: { [chainId]: setting.chain.rpcUrl },
    env,
  });
});
afterAll(async () => {
  await api?.close();
  await setting?.close();
});

/** Everybody may write into `field` at any time. */
const wall = (field: string) => ({
  metadata: { templateId: 'did:template:wall' },
  variables: { owner: { type: 'address', subtype: 'participant', validation: { required: true } } },
  content: { type: 'md', data: '' },
  execution: {
    initialize: { initialState: 'OPEN', data: { owner: reference('owner') } },
    states: { OPEN: { description: 'Write.' } },
    inputs: { write: { issuer: '', data: { [field]: { type: 'string' } } } },
    transitions: [{ from: 'OPEN', to: 'OPEN', conditions: [{ input: 'write' }] }],
  },
});

async function deployWall({ call }: TestPrincipal, field: string) {
  const { chain, worker, service } = setting;
  const account = createAccount();
  const agreement = wall(field);
  const deployment = { agreement, values: { owner: account.address }, chainId, docUri: `ipfs://${field}` };
  const permit = await signDeploy({ ...deployment, account, factory: chain.factory });
  const { values: initValues, ...rest } = deployment;
  const body = { ...rest, displayName: 'Wall', initValues, ...permit };
  const answer = await call('POST', '/v0/agreements/deploy-with-permit', { body });
  const { id } = recordShape.parse(answer.body.data);
  const agreementAddress = await worker.fold(id);
  await waitUntil('the index shows it', async () => {
    const shown = 'select 1 from chain_index.agreements where address = $1';
    return (await service.handle.pool.query(shown, [agreementAddress.toLowerCase()])).rowCount === 1;
  });
  return { id, agreement, agreementAddress };
}

type Wall = Awaited<ReturnType<typeof deployWall>>;

test('an input goes to where its record is now, with the document that it has now', async () => {
  const [principal, stranger] = [
    await setting.service.createPrincipal(),
    await setting.service.createPrincipal(),
  ];
  const first = await deployWall(principal, 'text');
  const second = await deployWall(stranger, 'line');
  const call = createCall(api.baseUrl, principal.key);
  const account = createAccount();
  const write = async (into: Wall, values: Record<string, string>, nonce: bigint) => {
    const signing = { ...into, chainId, inputId: 'write', values, account, nonce };
    const { body } = await signInput(signing);
    return call('POST', `/v0/agreements/${first.id}/input`, { body });
  };
  for (const nonce of [0n, 1n]) {
    const { agreementAddress } = inputRecordShape.parse(
      (await write(first, { text: 'before' }, nonce)).body.data,
    );
    expect(agreementAddress).toBe(first.agreementAddress);
  }
  // As after a reorg in which the deployment comes to another address.
  await setting.service.handle.pool.query(
    `update service.records moved set address = other.address, document = other.document, doc_hash = other.doc_hash
    from service.records other where moved.id = $1 and other.id = $2`,
    [first.id, second.id],
  );
  const moved = inputRecordShape.parse((await write(second, { line: 'after' }, 0n)).body.data);
  expect(moved).toMatchObject({ agreementId: first.id, agreementAddress: second.agreementAddress });
  // The former address and document are not those of the record any more.
  expect(outcome(await write(first, { text: 'late' }, 2n))).toMatchObject({
    status: 400,
    details: { reason: 'schema_mismatch' },
  });
});

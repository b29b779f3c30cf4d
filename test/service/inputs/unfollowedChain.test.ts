import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { waitUntil } from '../../support/waitUntil.ts';
import { type Answer, type Call, createCall } from '../support/call.ts';
import { type IndexedService, startIndexedService } from '../support/indexedService.ts';
import { deployLease, type Lease } from '../support/leases.ts';
import { outcome } from '../support/outcome.ts';
import { createAccount } from '../support/permits.ts';
import { startTestApi, type TestApi, type TestPrincipal } from '../support/testService.ts';

const otherChainId = 11_155_111;

let setting: IndexedService;
let principal: TestPrincipal;
let lease: Lease;
beforeAll(async () => {
  setting = await startIndexedService();
  const { chain, worker, service } = setting;
  principal = await service.createPrincipal();
  lease = await deployLease(principal, { chain, worker });
  await waitUntil('the index shows it', async () => {
    const shown = 'select 1 from chain_index.agreements where address = $1';
    return (await service.handle.pool.query(shown, [lease.address.toLowerCase()])).rowCount === 1;
  });
});
afterAll(() => setting?.close());

/** The index, which is not built anew yet, still has the chain that the API does not follow any more. */
describe.each([
  { decision: 'index and outbox', lag: '86400' },
  { decision: 'a node', lag: '0' },
])('on a chain that is not followed any more, where $decision would decide,', ({ lag }) => {
  let api: TestApi;
  let call: Call;
  beforeAll(async () => {
    const env = { CHAINS: String(otherChainId), ADMISSION_MAX_LAG_SECONDS: lag, SIGNING_WAIT_MS: '1' };
    api = await startTestApi(setting.service.databaseUrl, { env });
    call = createCall(api.baseUrl, principal.key);
  });
  afterAll(() => api?.close());
  let before: Record<string, number>;
  beforeEach(async () => {
    before = await setting.service.countRows();
  });

  // Not 503: repeating the request does not help.
  const expectRefused = async (answer: Answer) => {
    expect(outcome(answer)).toMatchObject({
      status: 400,
      message: 'The service does not follow the chain of the agreement now.',
      details: { reason: 'unsupported_chain', supportedChainIds: [otherChainId] },
    });
    expect(answer.headers.get('retry-after')).toBeNull();
    expect(await setting.service.countRows()).toEqual(before);
  };

  test('an input is refused and not stored', async () => {
    const { body } = await lease.sign({ inputId: 'knock', values: {}, account: createAccount() });
    await expectRefused(await call('POST', `/v0/agreements/${lease.id}/input`, { body }));
  });

  test('no typed data of an input is prepared', async () => {
    const body = { inputId: 'knock', values: {}, signer: createAccount().address };
    await expectRefused(await call('POST', `/v0/agreements/${lease.id}/input-typed-data`, { body }));
  });
});

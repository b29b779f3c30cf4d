import { getAddress, keccak256, toHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOfferedInputs } from '../../src/api/guests/offeredInputs.ts';
import { buildLease } from './support/documents.ts';
import { insertRecords } from './support/rows.ts';
import { startTestService, type TestPrincipal, type TestService } from './support/testService.ts';

const [landlord, tenant, stranger] = ['1', '2', '3'].map((digit) => getAddress(`0x${digit.repeat(40)}`));
if (!landlord || !tenant || !stranger) throw new Error('three accounts');

let service: TestService;
let principal: TestPrincipal;
beforeAll(async () => {
  service = await startTestService();
  principal = await service.createPrincipal();
});
afterAll(() => service?.close());

test('a wallet is offered its inputs of a state, from a document that is read once for all records and requests', async () => {
  const { pool } = service.handle;
  const document = JSON.stringify(buildLease(landlord));
  const docHash = keccak256(toHex(document));
  const record = { id: 'agr_offered', document, doc_hash: docHash, address: landlord };
  await insertRecords(pool, principal, [record]);
  const offered = createOfferedInputs(pool);
  const readValues = async () => ({ landlord, tenant });
  const list = (wallet: typeof landlord, recordId = record.id) =>
    offered.list({ recordId, docHash, state: 'OFFERED', readValues }, wallet);

  const [first, second, others] = await Promise.all([list(tenant), list(tenant), list(stranger)]);
  expect(first.map(({ inputId }) => inputId)).toContain('accept');
  expect(second).toEqual(first);
  expect(others.map(({ inputId }) => inputId)).not.toContain('accept');
  // Another record with the same document: nothing of it is read.
  expect(await list(tenant, 'agr_none')).toEqual(first);
  const another = offered.list({ recordId: record.id, docHash, state: 'ENDED', readValues }, tenant);
  expect(await another).not.toEqual(first);
});

import { getAddress, keccak256, toHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAddressesOfRecords } from '../../src/api/agreements/heldAddress.ts';
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
  const asked: (readonly string[])[] = [];
  const offered = createOfferedInputs(pool, {
    async readAddresses(_, wanted) {
      asked.push(wanted.map(({ recordId }) => recordId));
      return new Map(wanted.map(({ recordId }) => [recordId, { landlord, tenant }]));
    },
  });
  const list = async (wallet: typeof landlord, recordId = record.id, state = 'OFFERED') =>
    (await offered.list([{ recordId, docHash, state }], wallet)).get(recordId) ?? [];

  const [first, second, others] = await Promise.all([list(tenant), list(tenant), list(stranger)]);
  expect(first.map(({ inputId }) => inputId)).toContain('accept');
  expect(second).toEqual(first);
  expect(others.map(({ inputId }) => inputId)).not.toContain('accept');
  // Another record with the same document: nothing of it is read.
  expect(await list(tenant, 'agr_none')).toEqual(first);
  expect(await list(tenant, record.id, 'ENDED')).not.toEqual(first);
  asked.length = 0;
  const places = ['agr_one', 'agr_two'].map((recordId) => ({ recordId, docHash, state: 'OFFERED' }));
  expect([...(await offered.list(places, tenant)).values()]).toEqual([first, first]);
  expect(asked).toEqual([['agr_one', 'agr_two']]);
});

test('addresses of many records are read together, of each its own variables, whatever text other values are', async () => {
  const { pool } = service.handle;
  const odd = '\u0000 \\u0000 \\';
  await insertRecords(pool, principal, [
    { id: 'agr_first', variables: JSON.stringify({ tenant, landlord, odd }) },
    { id: 'agr_second', variables: JSON.stringify({ tenant: stranger, landlord: odd, [odd]: tenant }) },
  ]);
  const held = await readAddressesOfRecords(pool, [
    { recordId: 'agr_first', variables: ['tenant', 'odd', 'absent'] },
    { recordId: 'agr_second', variables: ['tenant', 'landlord'] },
    { recordId: 'agr_none', variables: ['tenant'] },
  ]);
  expect(Object.fromEntries(held)).toEqual({ agr_first: { tenant }, agr_second: { tenant: stranger } });
});

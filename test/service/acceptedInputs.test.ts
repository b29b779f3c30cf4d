import { pino } from 'pino';
import { getAddress, keccak256, toHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAcceptedInputs } from '../../src/api/agreements/acceptedInputs.ts';
import { createDatabase, type DatabaseHandle } from '../../src/platform/database/database.ts';
import { createPrincipal } from '../../src/records/principals/principals.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/postgres.ts';
import { buildLease } from './support/documents.ts';
import { insertRecords } from './support/rows.ts';

const landlords = ['1', '2', '3'].map((digit) => getAddress(`0x${digit.repeat(40)}`));
const places = landlords.map((landlord, at) => {
  const document = JSON.stringify({ ...buildLease(landlord), extra: at });
  const variables = { landlord, tenant: landlord };
  return {
    recordId: `agr_a${at}`,
    document,
    docHash: keccak256(toHex(document)),
    state: 'OFFERED',
    variables,
  };
});
let testDatabase: TestDatabase;
/** Only the code under test queries through this handle. */
let handle: DatabaseHandle;
beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  const { url } = testDatabase;
  handle = createDatabase({
    url,
    applicationName: 'test',
    maxConnections: 2,
    logger: pino({ level: 'silent' }),
  });
  const records = places.map(({ recordId: id, document, docHash }, at) => ({
    id,
    document,
    doc_hash: docHash,
    address: landlords[at],
  }));
  await insertRecords(handle.pool, await createPrincipal(handle.database, 'reader'), records);
});
afterAll(async () => {
  await handle?.close();
  await testDatabase?.drop();
});

/**
 * Reads the places in this order. Returns for each read whether it queried the database. Compares every
 * result with an uncached read.
 */
async function readAll(order: readonly number[], capacity?: number): Promise<boolean[]> {
  const { pool } = handle;
  const accepted = createAcceptedInputs(pool, capacity);
  const asked: boolean[] = [];
  let queries = 0;
  const count = () => queries++;
  pool.on('acquire', count);
  for (const at of order) {
    const place = places[at];
    if (!place) throw new Error(`there is no place ${at}`);
    const before = queries;
    const read = await accepted.read(place);
    asked.push(queries > before);
    expect(read).toEqual(await createAcceptedInputs(pool).read(place));
    expect(read.inputsText).toContain(place.variables.landlord);
  }
  pool.off('acquire', count);
  return asked;
}

test('a document is asked for once as long as there is room', async () => {
  expect(await readAll([0, 1, 2, 0, 1, 2])).toEqual([true, true, true, false, false, false]);
});

test('a state that is larger than the room is asked for each time', async () => {
  expect(await readAll([0, 0, 1], 1)).toEqual([true, true, true]);
});

test('inputs and participants have the names of the document, of a length that can be shown', async () => {
  const lease = buildLease(landlords[0] ?? '0x');
  const { execution, variables } = lease;
  const document = {
    ...lease,
    variables: {
      ...variables,
      landlord: { ...variables.landlord, name: 'Landlady' },
      keeper: { ...variables.keeper, name: 'K'.repeat(10_000) },
    },
    execution: {
      ...execution,
      inputs: {
        ...execution.inputs,
        accept: { ...execution.inputs.accept, displayName: 'Accept the lease', name: 'other' },
        appoint: { ...execution.inputs.appoint, displayName: ' ', name: 'Appoint a keeper' },
      },
    },
  };
  const [landlord = '', tenant = '', keeper = ''] = landlords;
  const id = 'agr_named';
  const row = {
    id,
    document: JSON.stringify(document),
    doc_hash: keccak256(toHex('named')),
    address: tenant,
  };
  await insertRecords(handle.pool, await createPrincipal(handle.database, 'names'), [row]);
  const read = await createAcceptedInputs(handle.pool).read({
    recordId: id,
    docHash: row.doc_hash,
    state: 'OFFERED',
    variables: { landlord, tenant, keeper },
  });
  expect(JSON.parse(read.inputsText)).toMatchObject([
    { inputId: 'accept', displayName: 'Accept the lease', issuers: [tenant] },
    { inputId: 'appoint', displayName: 'Appoint a keeper', issuers: [landlord] },
    { inputId: 'inspect', displayName: 'inspect', issuers: [keeper] },
    { inputId: 'knock', displayName: 'knock', anyone: true },
  ]);
  expect(read.participants).toEqual([
    { variableKey: 'tenant', displayName: 'tenant', walletAddress: tenant },
    { variableKey: 'landlord', displayName: 'Landlady', walletAddress: landlord },
    { variableKey: 'keeper', displayName: 'K'.repeat(200), walletAddress: keeper },
  ]);
});

import { getAddress, keccak256, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { inputRecordShape, recordShape, stateShape } from '../../src/api/shapes/resources.ts';
import { nameHash } from '../../src/protocol/index.ts';
import type { Answer } from './support/call.ts';
import { buildLease } from './support/documents.ts';
import { outcome } from './support/outcome.ts';
import { insertInputs, insertRecords } from './support/rows.ts';
import { startTestService, type TestPrincipal, type TestService } from './support/testService.ts';

let service: TestService;
let principal: TestPrincipal;
let stranger: TestPrincipal;
const landlord = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const tenant = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const address = getAddress('0x5fbdb2315678afecb367f032d93f642f64180aa3');
const lease = buildLease(landlord);
/** A caller must be able to hash the document, so the API sends its text exactly as stored. */
const document = JSON.stringify({ ...lease, extra: { '10': 1, b: [], '2': 'é', a: 1e21 } });
const hash = (text: string) => keccak256(toHex(text));
const record = {
  id: 'agr_deployed',
  address,
  document,
  doc_hash: hash(document),
  document_id: 'lease-1',
  owner: landlord,
  participants: `[{"variableKey":"tenant","walletAddress":"${tenant}","walletBinding":{"a":null}}]`,
  observers: '["o@lease.example"]',
  contributors: `["${tenant}"]`,
  variables: `{"landlord":"${landlord}","tenant":"${tenant}","rent":"5"}`,
  initial_state_hash: nameHash('OFFERED'),
  state: 'OFFERED',
  state_hash: nameHash('OFFERED'),
  state_block_number: 12,
  state_updated_at: '2026-03-01T00:00:00.120Z',
  deploy_tx_hash: hash('deploy'),
  deploy_block_number: 11,
  last_input_id: 'knock',
  last_input_at: '2026-03-01T00:00:00.120Z',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-03-01T00:00:00.123Z',
};

beforeAll(async () => {
  service = await startTestService();
  principal = await service.createPrincipal();
  stranger = await service.createPrincipal();
  const { pool } = service.handle;
  await insertRecords(pool, principal, [
    record,
    { id: 'agr_draft', status: 'Draft', error: '{"reason":"permit_expired","message":"too late"}' },
    { id: 'agr_one', address: getAddress(`0x${'1'.repeat(40)}`) },
    { id: 'agr_two', address: getAddress(`0x${'1'.repeat(40)}`), chain_id: 84532 },
  ]);
  await insertRecords(pool, stranger, [{ ...record, id: 'agr_strange', document_id: 'other' }]);
});
afterAll(() => service.close());

const get = (path: string, { call } = principal): Promise<Answer> => call('GET', `/v0/agreements${path}`);

describe('a record', () => {
  test('is as it was stored, absent parts left out', async () => {
    const { status, body } = await get('/agr_deployed');
    expect(status).toBe(200);
    const { json, ...rest } = recordShape.strict().parse(body.data);
    expect(json).toEqual(JSON.parse(document));
    expect(rest).toMatchSnapshot();
  });

  test('has its document character by character', async () => {
    const headers = { 'x-api-key': principal.key };
    const text = await (await fetch(`${service.baseUrl}/v0/agreements/agr_deployed`, { headers })).text();
    expect(text).toContain(`"json":${document}}`);
  });

  test('that is a Draft says why nothing came of it', async () => {
    const { body } = await get('/agr_draft');
    expect(recordShape.strict().parse(body.data)).toMatchObject({
      status: 'Draft',
      onChain: { error: { reason: 'permit_expired', message: 'too late' } },
    });
    expect(body.data).not.toHaveProperty('address');
    expect(body.data).not.toHaveProperty('state');
  });

  test('is found by the address of its contract, among the own records alone', async () => {
    for (const reference of [address, address.toLowerCase(), address.toUpperCase().replace('0X', '0x')])
      expect((await get(`/${reference}`)).body.data).toMatchObject({ id: 'agr_deployed' });
    expect((await get(`/${address}`, stranger)).body.data).toMatchObject({ id: 'agr_strange' });
    expect((await get(`/${address}?chainId=84532`)).status).toBe(404);
  });

  test('needs its chain where the address is on several', async () => {
    const twice = `/0x${'1'.repeat(40)}`;
    expect(outcome(await get(twice))).toMatchSnapshot();
    expect((await get(`${twice}?chainId=59141`)).body.data).toMatchObject({ id: 'agr_one' });
    expect((await get(`${twice}?chainId=84532`)).body.data).toMatchObject({ id: 'agr_two' });
  });
});

describe.each([[''], ['/state'], ['/inputs']])('the route {id}%s', (route) => {
  test('forbids what belongs to another principal', async () => {
    expect(outcome(await get(`/agr_deployed${route}`, stranger))).toEqual({
      status: 403,
      code: 'forbidden',
      message: 'The agreement belongs to another principal.',
    });
  });

  test('does not find what nobody has', async () => {
    const nobodys = ['agr_unknown', `0x${'9'.repeat(40)}`, 'lease', "agr_'", '%E0%A4%A'];
    for (const id of nobodys)
      expect(outcome(await get(`/${id}${route}`))).toEqual({
        status: 404,
        code: 'not_found',
        message: 'The agreement does not exist.',
      });
  });

  test('needs the scope to read', async () => {
    const writer = await service.createPrincipal(['agreements.write']);
    expect((await get(`/agr_deployed${route}`, writer)).status).toBe(403);
  });
});

describe('the state', () => {
  test('comes with what it accepts, of whom', async () => {
    for (const _ of ['read', 'remembered']) {
      const { body } = await get('/agr_deployed/state');
      expect(stateShape.strict().parse(body.data)).toMatchSnapshot();
    }
  });

  test('names the issuers by the values that are in force now', async () => {
    const change = (keeper: string) =>
      service.handle.pool.query(`update service.records set variables = $1 where id = 'agr_deployed'`, [
        JSON.stringify({ ...JSON.parse(record.variables), keeper }),
      ]);
    await change(landlord);
    const { body } = await get('/agr_deployed/state');
    const inspect = stateShape.parse(body.data).acceptedInputs.find(({ inputId }) => inputId === 'inspect');
    expect(inspect?.issuers).toEqual([landlord]);
  });

  test('of a Draft is null', async () => {
    const { body } = await get('/agr_draft/state');
    expect(stateShape.strict().parse(body.data)).toMatchObject({
      status: 'Draft',
      state: null,
      blockNumber: null,
      acceptedInputs: [],
    });
  });

  test('that the document does not name accepts nothing', async () => {
    const { body } = await get('/agr_one/state');
    expect(body.data).toMatchObject({ state: null, acceptedInputs: [] });
  });

  test('names the newest folded block of its own chain, so that a caller can count confirmations', async () => {
    await service.handle.pool.query(
      `insert into service.projections (chain_id, head_number, head_hash, head_timestamp)
       values (59141, 15, '0x', now()), (84532, 99, '0x', now())`,
    );
    const { body } = await get('/agr_deployed/state');
    expect(body.data).toMatchObject({ blockNumber: 12, headBlockNumber: 15 });
  });
});

describe('the history', () => {
  const history = { id: 'agr_history', address: getAddress(`0x${'2'.repeat(40)}`) };
  const instantOf = (at: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, Math.floor(at / 3))).toISOString();
  beforeAll(async () => {
    const { pool } = service.handle;
    await insertRecords(pool, principal, [history]);
    // Three inputs share each instant, so a cursor must tell them apart by id.
    const many = Array.from({ length: 30 }, (_, at) => ({
      id: `inp_${String(at).padStart(3, '0')}`,
      input_id: at % 2 === 0 ? 'accept' : 'knock',
      created_at: instantOf(at),
      updated_at: instantOf(60 - at),
      position: at + 1,
    }));
    await insertInputs(pool, history, many);
  });

  const idsOf = ({ body }: Answer) =>
    z
      .array(inputRecordShape)
      .parse(body.data)
      .map(({ id }) => id);
  const readAll = async (query: string) => {
    const ids: string[] = [];
    let cursor: string | null | undefined;
    do {
      const answer = await get(`/agr_history/inputs?${query}${cursor ? `&cursor=${cursor}` : ''}`);
      expect(answer.status).toBe(200);
      ids.push(...idsOf(answer));
      cursor = answer.body.pageInfo?.nextCursor;
    } while (cursor);
    return ids;
  };
  const all = Array.from({ length: 30 }, (_, at) => `inp_${String(at).padStart(3, '0')}`);

  test('begins with the newest and gives 25 unless asked otherwise', async () => {
    const answer = await get('/agr_history/inputs');
    expect(idsOf(answer)).toEqual(all.toReversed().slice(0, 25));
    expect(answer.body.pageInfo).toEqual({ limit: 25, nextCursor: expect.any(String) });
    expect((await get('/agr_history/inputs?limit=30')).body.pageInfo).toEqual({
      limit: 30,
      nextCursor: null,
      totalCount: 30,
    });
  });

  test.each([1, 4, 7, 29, 100])('in pages of %i is complete and in order', async (limit) => {
    expect(await readAll(`limit=${limit}`)).toEqual(all.toReversed());
    expect(await readAll(`limit=${limit}&sort[createdAt]=asc`)).toEqual(all);
  });

  test('sorts by its last change', async () => {
    const byChange = all.toSorted((a, b) => {
      const [x, y] = [60 - Number(a.slice(4)), 60 - Number(b.slice(4))].map((at) => Math.floor(at / 3));
      return (x ?? 0) - (y ?? 0) || a.localeCompare(b);
    });
    expect(await readAll('limit=4&sort[updatedAt]=asc')).toEqual(byChange);
  });

  test('filters', async () => {
    expect(await readAll('limit=4&inputId=knock')).toEqual(all.toReversed().filter((_, at) => at % 2 === 0));
    const [from, to] = [encodeURIComponent(instantOf(6)), encodeURIComponent(instantOf(9))];
    expect(await readAll(`createdAt[gte]=${from}&createdAt[lte]=${to}`)).toEqual(
      all.slice(6, 12).toReversed(),
    );
    expect(await readAll(`createdAt[gt]=${from}&createdAt[lt]=${to}`)).toEqual([]);
    expect(await readAll('status=PENDING')).toEqual([]);
    expect(await readAll(`userId=${principal.id}`)).toEqual([]);
  });

  test('takes a cursor only in the order and with the filters that it was given with', async () => {
    const { body } = await get('/agr_history/inputs?limit=1');
    const cursor = body.pageInfo?.nextCursor ?? '';
    const open = async (query: string, given = cursor) =>
      (await get(`/agr_history/inputs?${query}&cursor=${given}`)).body.error?.details;
    expect(await open('limit=1')).toBeUndefined();
    expect(await open('limit=2')).toBeUndefined();
    const since = 'createdAt[gte]=2020-01-01T00:00:00Z';
    const others = [
      'sort[createdAt]=asc',
      'sort[updatedAt]=desc',
      'status=MINED',
      'inputId=x',
      'userId=x',
      since,
    ];
    for (const query of others) expect(await open(query), query).toMatchObject({ field: 'cursor' });
    const [mark] = z
      .tuple([z.string()], z.unknown())
      .parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    const forge = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url');
    expect(await open('', forge([mark, 1, 1, 'inp_1']))).toBeUndefined();
    for (const parts of [
      [mark, 9e15, 1, 'inp_1'],
      [mark, 1, 1, 'inp_\0'],
      [mark, '1', 1, 'inp_1'],
      [mark, 1, 2 ** 31, 'inp_1'],
      [mark, 1, 'inp_1'],
      ['mark', 1, 1, 'inp_1'],
      null,
    ])
      expect(await open('', forge(parts)), JSON.stringify(parts)).toMatchObject({ field: 'cursor' });
  });

  test('shows whatever others have sent to the contract', async () => {
    const other = { id: 'agr_noise', address: getAddress(`0x${'3'.repeat(40)}`) };
    await insertRecords(service.handle.pool, principal, [other]);
    await insertInputs(service.handle.pool, other, [
      {
        id: 'inp_noise',
        input_id: hash('unknown'),
        values: '{"a\\u0000":"\\u0000","b":"\\ud800"}',
        from_state: 'OFFERED',
        to_state: hash('nowhere'),
        block_number: '12345678901',
        created_at: '2026-01-01T00:00:00Z',
        updated_at: '2026-01-01T00:00:00Z',
      },
      {
        id: 'inp_own',
        status: 'FAILED',
        tx_hash: null,
        user_id: principal.id,
        signer: tenant,
        error: '{"reason":"permit_expired","message":"too late"}',
        created_at: '2026-01-01T00:00:01Z',
        updated_at: '2026-01-01T00:00:01Z',
      },
    ]);
    const { body } = await get('/agr_noise/inputs');
    const shown = z.array(inputRecordShape.strict()).parse(body.data);
    expect(shown.map(({ userId: _, values: __, ...input }) => input)).toMatchSnapshot();
    expect(shown.map(({ userId }) => userId)).toEqual([principal.id, undefined]);
    expect(shown[1]?.values).toEqual({ 'a\0': '\0', b: '\ud800' });
  });

  test('of an agreement without inputs is empty', async () => {
    expect((await get('/agr_draft/inputs')).body).toMatchObject({
      data: [],
      pageInfo: { limit: 25, nextCursor: null },
    });
  });
});

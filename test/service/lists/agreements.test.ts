import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { summaryShape } from '../../../src/api/shapes/resources.ts';
import type { Answer } from '../support/call.ts';
import { insertRecords } from '../support/rows.ts';
import { startTestService, type TestPrincipal, type TestService } from '../support/testService.ts';

let service: TestService;
let owner: TestPrincipal;
let stranger: TestPrincipal;
const names = ['b', 'A', 'a', 'é', 'b', "'; drop", 'Z', '10', '9%', 'b\u{10ffff}'];
beforeAll(async () => {
  service = await startTestService();
  owner = await service.createPrincipal();
  const records = names.map((name, at) => ({
    id: `agr_l${at}`,
    display_name: name,
    chain_id: at % 2 === 0 ? 59141 : 84532,
    state: at < 5 ? 'OFFERED' : 'ACTIVE',
    created_at: new Date(Date.UTC(2026, 0, 1 + at)).toISOString(),
    updated_at: new Date(Date.UTC(2026, 1, 20 - at)).toISOString(),
  }));
  await insertRecords(service.handle.pool, owner, records);
  stranger = await service.createPrincipal();
  await insertRecords(service.handle.pool, stranger, [{ id: 'agr_strange' }]);
});
afterAll(() => service?.close());

const get = (path: string, { call } = owner): Promise<Answer> => call('GET', `/v0/agreements${path}`);

const readAll = async (query = '') => {
  const summaries: z.output<typeof summaryShape>[] = [];
  let cursor: string | null | undefined;
  do {
    const answer = await get(`?limit=3${query}${cursor ? `&cursor=${cursor}` : ''}`, owner);
    expect(answer.status).toBe(200);
    summaries.push(...z.array(summaryShape.strict()).parse(answer.body.data));
    cursor = answer.body.pageInfo?.nextCursor;
  } while (cursor);
  return summaries;
};
const idsOf = async (query?: string) => (await readAll(query)).map(({ id }) => Number(id.slice(5)));

test('holds the own ones alone, the newest first', async () => {
  expect(await idsOf()).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  expect((await readAll())[0]).toMatchSnapshot();
});

test('sorts by each of its fields, both ways', async () => {
  const byName = await readAll('&sort[displayName]=asc');
  expect(byName.map(({ displayName }) => displayName).toSorted()).toEqual(names.toSorted());
  expect(byName.map(({ displayName }) => displayName)).toEqual([
    "'; drop",
    '10',
    '9%',
    'A',
    'a',
    'b',
    'b',
    'b\u{10ffff}',
    'Z',
    'é',
  ]);
  expect((await readAll('&sort[displayName]=desc')).toReversed()).toEqual(byName);
  expect(await idsOf('&sort[updatedAt]=asc')).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  expect(await idsOf('&sort[createdAt]=asc')).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('takes a cursor only of the same principal, order and filters', async () => {
  const cursor = (await get('?limit=3&chainId=84532', owner)).body.pageInfo?.nextCursor;
  const open = async (query: string, by = owner) =>
    (await get(`?${query}&cursor=${cursor}`, by)).body.error?.details;
  expect(await open('limit=2&chainId=84532')).toBeUndefined();
  expect(await open('chainId=84532', stranger)).toMatchObject({ field: 'cursor' });
  for (const query of [
    'limit=3',
    'chainId=59141',
    'chainId=84532&state=ACTIVE',
    'chainId=84532&sort[createdAt]=asc',
  ])
    expect(await open(query), query).toMatchObject({ field: 'cursor' });
  expect(await open('chainId=84532&updatedAt[lt]=2026-02-12T00:00:00Z')).toMatchObject({ field: 'cursor' });
  expect(await open('chainId=84532&displayName[startsWith]=b')).toMatchObject({ field: 'cursor' });
});

test('filters by what a name begins with, A to Z in either case, and takes no sign for a pattern', async () => {
  const named = (prefix: string, more = '') =>
    idsOf(`&displayName[startsWith]=${encodeURIComponent(prefix)}${more}`);
  expect(await named('a')).toEqual([2, 1]);
  expect(await named('B')).toEqual([9, 4, 0]);
  expect(await named('B', '&sort[displayName]=asc')).toEqual([0, 4, 9]);
  expect(await named('b', '&state=OFFERED')).toEqual([4, 0]);
  expect(await named('b', '&chainId=84532')).toEqual([9]);
  expect(await named('b', '&createdAt[lt]=2026-01-02T00:00:00Z&sort[updatedAt]=desc')).toEqual([0]);
  expect(await named('b\u{10ffff}')).toEqual([9]);
  expect(await named('9%')).toEqual([8]);
  expect(await named('é')).toEqual([3]);
  for (const nothing of ['%', '_', '10%', "';", 'É', 'c'])
    expect(await named(nothing), nothing).toEqual(nothing === "';" ? [5] : []);
  expect((await get('?displayName[startsWith]=%00')).status).toBe(400);
  expect((await get('?displayName[contains]=a')).status).toBe(400);
});

test('filters by state, chain and time', async () => {
  expect(await idsOf('&state=ACTIVE&chainId=84532')).toEqual([9, 7, 5]);
  expect(
    await idsOf('&createdAt[gt]=2026-01-03T00:00:00Z&createdAt[lte]=2026-01-05T01:00:00%2B01:00'),
  ).toEqual([4, 3]);
  expect(await idsOf('&updatedAt[lt]=2026-02-12T00:00:00.000Z')).toEqual([9]);
  expect(await idsOf('&state=NOWHERE')).toEqual([]);
});

test('tells states apart that begin with the same 64 characters', async () => {
  const by = await service.createPrincipal();
  const beginning = 'S'.repeat(64);
  await insertRecords(
    service.handle.pool,
    by,
    ['', 'A', 'B'].map((end) => ({ id: `agr_long${end}`, state: beginning + end })),
  );
  for (const end of ['', 'A', 'B'])
    for (const chain of ['', '&chainId=59141']) {
      const { data } = (await get(`?state=${beginning}${end}${chain}`, by)).body;
      expect(data, end + chain).toMatchObject([{ id: `agr_long${end}` }]);
      expect(data).toHaveLength(1);
    }
});

test('needs the scope to read', async () => {
  const writer = await service.createPrincipal(['agreements.write']);
  expect((await get('', writer)).status).toBe(403);
});

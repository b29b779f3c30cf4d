import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { listInputs } from '../../../src/api/agreements/listInputs.ts';
import { createExplainedPool } from '../support/explainedPool.ts';
import { insertInputs, insertRecords } from '../support/rows.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const idsShape = z.array(z.looseObject({ id: z.string() }));
const hex = (bytes: number) => randomBytes(bytes).toString('hex');

test('a page of inputs is as long as its bytes allow, and the next ones hold the rest', async () => {
  const principal = await service.createPrincipal();
  const record = { id: `agr_${hex(16)}`, address: `0x${hex(20)}` };
  const { pool } = service.handle;
  await insertRecords(pool, principal, [record]);
  // The third input alone is larger than a page.
  const sizes = [600_000, 600_000, 2_200_000, 600_000, 600_000, 600_000, 600_000];
  const inputs = sizes.map((size, at) => ({
    id: `inp_${at}${hex(8)}`,
    payload: `0x${'1'.repeat(size)}`,
    created_at: new Date(Date.UTC(2026, 0, 1 + at)).toISOString(),
  }));
  await insertInputs(pool, record, inputs);
  const pages: string[][] = [];
  let cursor: string | null = null;
  do {
    const after: string = cursor === null ? '' : `&cursor=${cursor}`;
    const path = `/v0/agreements/${record.id}/inputs?limit=100&sort[createdAt]=asc${after}`;
    const { status, body } = await principal.call('GET', path);
    expect({ status, limit: body.pageInfo?.limit }).toEqual({ status: 200, limit: 100 });
    expect(body.pageInfo).not.toHaveProperty('totalCount');
    pages.push(idsShape.parse(body.data).map(({ id }) => id));
    cursor = body.pageInfo?.nextCursor ?? null;
  } while (cursor !== null);
  expect(pages.flat()).toEqual(inputs.map(({ id }) => id));
  expect(pages.map((page) => page.length)).toEqual([1, 1, 1, 2, 2]);
});

test('the values of inputs that a page has no room for are not read', async () => {
  const principal = await service.createPrincipal();
  const record = { id: `agr_${hex(16)}`, address: `0x${hex(20)}` };
  const { pool } = service.handle;
  await insertRecords(pool, principal, [record]);
  const inputs = Array.from({ length: 40 }, (_, at) => ({
    id: `inp_${at}${hex(8)}`,
    payload: `0x${'1'.repeat(300_000)}`,
    values: JSON.stringify({ noise: hex(500_000) }),
  }));
  await insertInputs(pool, record, inputs);
  const explained = createExplainedPool(service.databaseUrl, {});
  try {
    const page = await listInputs(explained.pool, {
      reference: { id: record.id },
      principalId: principal.id,
      createdAt: {},
      updatedAt: {},
      sort: { name: 'createdAt', direction: 'desc', kind: 'instant' },
      limit: 100,
    });
    expect(idsShape.parse(JSON.parse(page.dataText))).toHaveLength(1);
    const pages = explained.takeEfforts().reduce((sum, effort) => sum + effort.pages, 0);
    // A megabyte of values each.
    expect(pages * 8_192).toBeLessThan(15 * 1024 * 1024);
  } finally {
    await explained.pool.end();
  }
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeReport, listFlaws } from '../scale/describeReport.ts';
import { runScale } from '../scale/runScale.ts';
import { describeFlaws, isFlawless } from '../support/flaws.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** `npm run test:scale` is the long form. */
test('processes that are replaced one after the other fail no request and tell everything once', async () => {
  const report = await runScale({
    databaseUrl: database.url,
    rounds: 1,
    writesBetween: 5,
    callers: 3,
    readers: 2,
    seed: 1,
    onProgress() {},
    onLine() {},
  });
  const flaws = listFlaws(report);
  expect(isFlawless(flaws), `${describeReport(report)}\n${describeFlaws(flaws)}`).toBe(true);
  expect(report.replaced).toBe(5);
  // The two initial APIs and the two that replaced them.
  expect(Object.keys(report.served).toSorted()).toEqual(['api 1', 'api 2', 'api 3', 'api 4']);
  // Even a short run kills and starts processes for minutes.
}, 1_800_000);

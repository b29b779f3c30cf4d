import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeReport, listFlaws } from '../faults/describeReport.ts';
import { runFaults } from '../faults/runFaults.ts';
import { describeFlaws, isFlawless } from '../support/flaws.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** `npm run test:faults` is the long form. */
test('processes that are killed on the way of writes lose, double and jam nothing', async () => {
  const report = await runFaults({
    databaseUrl: database.url,
    kills: 6,
    seed: 1,
    callers: 3,
    onProgress() {},
    onLine() {},
  });
  const flaws = listFlaws(report);
  expect(isFlawless(flaws), `${describeReport(report)}\n${describeFlaws(flaws)}`).toBe(true);
  expect(report.deployments).toBeGreaterThanOrEqual(3);
  expect(Object.values(report.kills).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(6);
}, 1_800_000);

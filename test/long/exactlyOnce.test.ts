import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeReport, listFlaws } from '../exactlyOnce/describeReport.ts';
import { runExactlyOnce } from '../exactlyOnce/runExactlyOnce.ts';
import { describeFlaws, isFlawless } from '../support/flaws.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

const transitions = 36;
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** `npm run test:events` is the long form. */
test('every transition of the final chains is announced once and delivered, whatever is killed and reorganised', async () => {
  const report = await runExactlyOnce({
    databaseUrl: database.url,
    transitions,
    agreements: 1,
    longestLifeMs: 8_000,
    seed: 1,
    onProgress() {},
    onLine() {},
  });
  const flaws = listFlaws(report);
  expect(isFlawless(flaws), `${describeReport(report)}\n${describeFlaws(flaws)}`).toBe(true);
  expect(report.transitions).toBeGreaterThanOrEqual(transitions);
  expect(report.events).toBe(report.transitions + 3);
  expect(report.interruptions).toHaveLength(5);
  expect(Object.keys(report.kills)).not.toHaveLength(0);
  // Even a short run kills and starts processes for minutes.
}, 1_800_000);

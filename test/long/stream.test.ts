import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeReport, listFlaws } from '../stream/describeReport.ts';
import { runStream } from '../stream/runStream.ts';
import { describeFlaws, isFlawless } from '../support/flaws.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** `npm run test:stream` is the long form. */
test('many listeners of one API are told every event once, also one that is cut again and again', async () => {
  const report = await runStream({
    databaseUrl: database.url,
    listeners: 300,
    events: 150,
    cuts: 30,
    seed: 1,
    onProgress() {},
    onLine() {},
  });
  const flaws = listFlaws(report);
  expect(isFlawless(flaws), `${describeReport(report)}\n${describeFlaws(flaws)}`).toBe(true);
  expect(report).toMatchObject({ listeners: 301, events: 150, cuts: 30 });
}, 600_000);

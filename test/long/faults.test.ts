import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeReport, describeScenarios, listFlaws } from '../faults/describeReport.ts';
import { runFaults } from '../faults/runFaults.ts';
import { runScenarios } from '../faults/runScenarios.ts';
import { describeFlaws, isFlawless } from '../support/flaws.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

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
  // Even a short run kills and starts processes for minutes.
}, 1_800_000);

test('signers who compete with the relay, replaced blocks and a node that is behind lose, double and invent nothing', async () => {
  const report = await runScenarios({
    databaseUrl: database.url,
    runs: 3,
    seed: 1,
    names: ['competingSigners', 'reorganisations', 'twoHeights'],
    onProgress() {},
    onLine() {},
  });
  const { flaws, inputs, races } = report;
  expect(isFlawless(flaws), `${describeScenarios(report)}\n${describeFlaws(flaws)}`).toBe(true);
  expect(races.none).toBeUndefined();
  expect(inputs).toBeGreaterThanOrEqual(3);
  // Even a short run kills and starts processes for minutes.
}, 1_800_000);

import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { faultPoints } from '../../../src/platform/supervision/faultPoint.ts';
import { describeReport, listFlaws } from '../../faults/describeReport.ts';
import type { FaultReport } from '../../faults/runFaults.ts';
import { createDealer } from '../../faults/support/dealer.ts';
import { pointsOf } from '../../faults/support/pointsOf.ts';
import { createRandom } from '../../support/random.ts';

const root = new URL('../../../', import.meta.url);

function readAll(pattern: string): string {
  const files = globSync(pattern, { cwd: root.pathname });
  return files.map((file) => readFileSync(new URL(file, root), 'utf8')).join('\n');
}

const listed: readonly string[] = Object.values(faultPoints).flat();

test('the labelled places in the sources are the listed ones', () => {
  const sources = readAll('src/**/*.ts');
  const labelled = [...sources.matchAll(/\bfaultPoint\(\s*['"`](\w+)['"`],?\s*\)/g)].map(([, name]) => name);
  const calls = sources.match(/\bfaultPoint\(/g) ?? [];
  // One match is the function's declaration. So every call names its place as a literal.
  expect(calls).toHaveLength(labelled.length + 1);
  expect([...new Set(labelled)].toSorted()).toEqual(listed.toSorted());
  expect(new Set(listed).size).toBe(listed.length);
});

test('at each listed place a test of its own kills a process', () => {
  const tests = readAll('test/{service,e2e,long}/**/*.test.ts');
  const missing = Object.entries(faultPoints).flatMap(([group, points]) =>
    tests.includes(`faultPoints.${group}`)
      ? []
      : points.filter((point) => !new RegExp(`['"\`]${point}[:'"\`]`).test(tests)),
  );
  expect(missing).toEqual([]);
});

test('places come in an order of chance, each once before any comes again', () => {
  const deal = createDealer(createRandom(1), faultPoints.relay);
  const rounds = [0, 1, 2].map(() => faultPoints.relay.map(deal));
  for (const round of rounds) expect(round.toSorted()).toEqual(faultPoints.relay.toSorted());
  expect(new Set(rounds.map((round) => round.join())).size).toBeGreaterThan(1);
  expect(createDealer(createRandom(1), [])()).toBeUndefined();
});

describe('a run that has killed processes', () => {
  const places = Object.entries(pointsOf).flatMap(([kind, points]) =>
    points.map((point) => `${kind} ${point}`),
  );
  /** A report of this number of kills, with at least one at every place except `left`. */
  const reportOf = (kills: number, left: string | undefined): FaultReport => {
    const counts = Object.fromEntries(places.filter((place) => place !== left).map((place) => [place, 1]));
    const rest = kills - Object.keys(counts).length;
    return {
      ...{ lost: [], doubled: [], jammed: [], different: [], unexpected: [] },
      ...{ seed: 1, seconds: 1, deployments: 1, inputs: 1, retries: 0 },
      ...{ transactions: 2, fillers: 0, reverted: 0 },
      kills: { ...counts, 'api any moment': rest },
    };
  };

  test('knows all places on the way of a write', () => {
    expect(places).toEqual(expect.arrayContaining(['api beforeStoreCommit', 'worker beforeReleaseCommit']));
    expect(places).toHaveLength(
      faultPoints.api.length + faultPoints.relay.length + faultPoints.projector.length,
    );
  });

  test.each(places)('300 times, but never at %s, is flawed', (place) => {
    expect(listFlaws(reportOf(300, place))).toMatchObject({ unreached: [place] });
    expect(listFlaws(reportOf(299, place))).toMatchObject({ unreached: [] });
    expect(describeReport(reportOf(299, place))).toContain(`none killed at: ${place}`);
  });

  test('300 times and at all places is not', () => {
    expect(listFlaws(reportOf(300, undefined))).toMatchObject({ unreached: [] });
    expect(describeReport(reportOf(300, undefined))).not.toContain('none killed');
  });
});

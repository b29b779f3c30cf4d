import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expected } from './support/expectedSummary.ts';
import { createFixture, emptyDatabase, type Fixture } from './support/setup.ts';
import { turnArbitrary } from './support/steps.ts';
import { dump, summarize } from './support/summary.ts';
import { World } from './support/world.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
});
afterAll(() => fixture.close());

test('whatever chain, indexer and principals do, the records match the index, and never go back', async () => {
  const seen = new Map<string, number>();
  const see = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  const check = async (world: World, folder: number, expired: Set<string>) => {
    const before = await dump(fixture.database);
    const results = await world.fold(folder);
    const after = await dump(fixture.database);
    const result = results.at(-1);
    if (result?.kind !== 'folded') {
      expect(after).toEqual(before);
      see('waiting');
      return 'waiting';
    }
    if (results.some((one) => one.kind === 'folded' && one.retracted.length > 0)) see('retracted');
    const summary = summarize(after);
    for (const { status } of [...summary.records, ...summary.inputs]) see(status);
    for (const { state } of summary.transactions) see(state);
    expect(summary).toEqual(expected(world, expired, Number(result.position.through)));
    return result.kind;
  };
  await fc.assert(
    fc.asyncProperty(fc.array(turnArbitrary, { minLength: 10, maxLength: 30 }), async (turns) => {
      await emptyDatabase(fixture);
      const world = await World.create(fixture);
      const expired = new Set<string>();
      for (const { step, folder } of turns) {
        await world.take(step);
        await check(world, folder, expired);
      }
      await world.catchUp();
      expect(await check(world, 0, expired)).toBe('folded');
    }),
    // Shrinking takes some hundred more runs, too long to wait for; seed and path of the first counterexample
    // reproduce it.
    { numRuns: Number(process.env.FOLD_RUNS ?? 12), endOnFailure: true },
  );
  // The test is only meaningful if each of these states occurred.
  const wanted = [
    'waiting',
    'retracted',
    'Deployed',
    'Draft',
    'MINED',
    'PENDING',
    'FAILED',
    'mined',
    'failed',
    'open',
  ];
  for (const what of wanted) expect(seen.get(what) ?? 0, what).toBeGreaterThan(0);
  // A history takes a second on an idle machine; FOLD_RUNS may set any number.
}, 1_800_000);

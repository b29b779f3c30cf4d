import pg from 'pg';
import { pino } from 'pino';
import { createPublicClient, custom } from 'viem';
import { expect, onTestFinished, test } from 'vitest';
import type { CollectedEvidence } from '../../../src/api/evidence/collectedEvidence.ts';
import { type Collecting, TurnOverError } from '../../../src/api/evidence/collecting.ts';
import { createEvidenceDesk } from '../../../src/api/evidence/evidenceDesk.ts';
import { createEvidenceSource } from '../../../src/api/evidence/evidenceSource.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { buildCollected, buildRecord, chainId } from './support/collected.ts';

type Run = { readonly id: string; readonly collecting: Collecting; end(error?: Error): void };

/** A desk whose collections end when the test says so. */
function openDesk(waitMs: number, turns: { turnMs: number; now?: () => number } = { turnMs: 0 }) {
  const pool = new pg.Pool();
  const client = createPublicClient({ transport: custom({ request: () => Promise.resolve(null) }) });
  const runs: Run[] = [];
  const collect = (collecting: Collecting) => {
    const { promise, resolve, reject } = Promise.withResolvers<CollectedEvidence>();
    const { record } = collecting;
    const end = (error?: Error) => (error ? reject(error) : resolve(buildCollected(record)));
    runs.push({ id: record.id, collecting, end });
    return promise;
  };
  const desk = createEvidenceDesk(
    {
      source: createEvidenceSource(pool, {
        ...{ charactersPerSecond: 1_000, mostInputs: 1, mostBytes: 1, publicBaseUrl: 'https://x.example' },
        ...{ areOthersWaiting: () => false },
        quotas: { check: () => Promise.resolve(), note() {} },
      }),
      clients: new Map([[chainId, client]]),
      collect,
    },
    { waitMs, logger: pino({ level: 'silent' }), ...turns },
  );
  onTestFinished(async () => {
    desk.close();
    await pool.end();
  });
  return {
    desk,
    runs,
    began: () => runs.map(({ id }) => id),
    beginNext: (count: number) => waitUntil(`${count} collections began`, () => runs.length === count),
  };
}

test('a principal and its guests have one collection under way, and nobody else waits for it', async () => {
  const { desk, runs, began, beginNext } = openDesk(0);
  await desk.collect(buildRecord('a1', 'a'), 'a');
  await desk.collect(buildRecord('a2', 'a'), 'guests of a');
  expect(began()).toEqual(['a1']);
  await desk.collect(buildRecord('b1', 'b'), 'b');
  await desk.collect(buildRecord('c1', 'c'), 'c');
  expect(began()).toEqual(['a1', 'b1']);
  runs[1]?.end();
  await beginNext(3);
  expect(began()).toEqual(['a1', 'b1', 'c1']);
  runs[0]?.end();
  await beginNext(4);
  expect(began()).toEqual(['a1', 'b1', 'c1', 'a2']);
});

test('a long collection gives way to those that wait, and goes on behind them for the same reader', async () => {
  const { desk, runs, began, beginNext } = openDesk(60_000);
  const reader = desk.collect(buildRecord('a1', 'a'), 'a');
  expect(runs[0]?.collecting.isTurnOver()).toBe(false);
  const next = desk.collect(buildRecord('a2', 'a'), 'a');
  expect(runs[0]?.collecting.isTurnOver()).toBe(true);
  runs[0]?.end(new TurnOverError());
  await beginNext(2);
  runs[1]?.end();
  expect(await next).toMatchObject({ record: { id: 'a2' } });
  await beginNext(3);
  expect(began()).toEqual(['a1', 'a2', 'a1']);
  expect(runs[2]?.collecting.isTurnOver()).toBe(false);
  runs[2]?.end();
  expect(await reader).toMatchObject({ record: { id: 'a1' } });
});

test('a collection that has to do its work again gets a turn twice as long, and one that has proved blocks does not', async () => {
  let nowMs = 0;
  const { desk, runs, beginNext } = openDesk(0, { turnMs: 100, now: () => nowMs });
  for (const id of ['a1', 'a2']) await desk.collect(buildRecord(id, 'a'), 'a');
  /** How long the running collection may go on. It proves so many blocks, and gives way. */
  const giveWay = async (done: number) => {
    const { collecting, end } = runs.at(-1) ?? {};
    const beganAt = nowMs;
    collecting?.onProgress(done, 9);
    while (collecting?.isTurnOver() === false) nowMs += 50;
    end?.(new TurnOverError());
    await beginNext(runs.length + 1);
    return nowMs - beganAt;
  };
  const lengths: number[] = [];
  for (const done of [5, 5, 5, 6, 6]) {
    lengths.push(await giveWay(done));
    await giveWay(1);
  }
  expect(lengths).toEqual([100, 100, 200, 400, 400]);
});

import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createEvidenceWriters, type WriterBounds } from '../../../src/api/evidence/evidenceWriters.ts';
import { RateLimitedError } from '../../../src/platform/errors/serviceError.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const never = 1_000_000_000;
const patient: WriterBounds = { stallMs: never, patienceMs: never, leastPerSecond: 0, checkMs: 5 };

/** Opens files of two pieces each, and collects the names of disconnected readers and the log. */
function createFiles(bounds: WriterBounds = patient) {
  const log: { requestId: string; err: { message: string } }[] = [];
  const logger = pino({}, { write: (line) => void log.push(JSON.parse(line)) });
  const writers = createEvidenceWriters({ logger }, bounds);
  const cut: string[] = [];
  const ended: string[] = [];
  const awaited = new Set<string>();
  async function* pieces(failure: Error | undefined) {
    yield '1';
    if (failure) throw failure;
    yield '2';
  }
  return {
    cut,
    ended,
    /** Turns in which somebody waits for what a file needs. */
    awaited,
    log,
    open(name: string, turn: string, failure?: Error) {
      const reader = {
        ...{ turn, requestId: `req_${name}`, disconnect: () => cut.push(name) },
        ...{ isInTheWay: () => awaited.has(turn), onEnd: () => ended.push(name) },
      };
      const stream = writers.open(pieces(failure), reader);
      return stream.getReader();
    },
  };
}

const textOf = (value: Uint8Array | undefined) => new TextDecoder().decode(value);

describe('files of evidence', () => {
  test('of one principal are written two at a time, and those of another do not wait for them', async () => {
    const { open } = createFiles();
    const first = [open('1', 'a'), open('2', 'a')];
    for (const file of first) expect(textOf((await file.read()).value)).toBe('1');
    const begun: string[] = [];
    const waiting = ['third', 'fourth'].map(async (name) => {
      const file = open(name, 'a');
      await file.read();
      begun.push(name);
      return file;
    });
    expect(textOf((await open('b', 'b').read()).value)).toBe('1');
    expect(begun).toEqual([]);
    // A reader that leaves makes room, and so does one that has read everything.
    await first[0]?.cancel();
    await waiting[0];
    expect(begun).toEqual(['third']);
    while (!(await first[1]?.read())?.done);
    await Promise.all(waiting);
    expect(begun).toEqual(['third', 'fourth']);
  });

  test('of one principal are no more than ten open at a time', async () => {
    const { open } = createFiles();
    const files = Array.from({ length: 10 }, (_, at) => open(String(at), 'a'));
    expect(() => open('one more', 'a')).toThrow(RateLimitedError);
    open('other', 'b');
    await files[0]?.cancel();
    open('one more', 'a');
    expect(() => open('and another', 'a')).toThrow(RateLimitedError);
  });

  test('whose reader takes nothing are cut off, and the next one has its place', async () => {
    const { open, cut } = createFiles({ ...patient, stallMs: 20 });
    const files = [open('1', 'a'), open('2', 'a')];
    for (const file of files) await file.read();
    await open('3', 'a').read();
    await waitUntil('those that take nothing are cut off', () => cut.length >= 2);
    expect(cut.slice(0, 2).toSorted()).toEqual(['1', '2']);
  });

  test('that nobody begins to read are cut off', async () => {
    const { open, cut } = createFiles({ ...patient, stallMs: 20 });
    for (let at = 0; at < 10; at++) open(String(at), 'a');
    await waitUntil('all are cut off', () => cut.length === 10);
    expect(textOf((await open('next', 'a').read()).value)).toBe('1');
  });

  test('that cannot be written to their end are logged, and their readers are disconnected', async () => {
    const { open, cut, log } = createFiles();
    const file = open('broken', 'a', new Error('gone'));
    await file.read();
    expect(await file.read()).toMatchObject({ done: true });
    expect(cut).toEqual(['broken']);
    expect(log).toMatchObject([{ requestId: 'req_broken', err: { message: 'gone' } }]);
  });

  test('whose reader leaves are no failure, wherever they stand', async () => {
    const { open, cut, log } = createFiles();
    const files = ['1', '2', 'waiting'].map((name) => open(name, 'a'));
    const reads = files.map((file) => file.read());
    for (const file of files) await file.cancel();
    await Promise.all(reads);
    expect([cut, log]).toEqual([[], []]);
  });

  test('whose reader is slow are cut off while others wait, and only then', async () => {
    const { open, cut } = createFiles({ ...patient, patienceMs: 20, leastPerSecond: 1_000 });
    const files = [open('1', 'a'), open('2', 'a')];
    const beganAt = performance.now();
    for (const file of files) await file.read();
    await waitUntil('it is long past their time', () => performance.now() - beganAt > 200);
    expect(cut).toEqual([]);
    const third = open('3', 'a');
    await third.read();
    expect(cut.length).toBeGreaterThan(0);
    expect(cut).not.toContain('3');
  });

  test('whose reader is slow are cut off while others of the turn wait for the memory that a file holds', async () => {
    const { open, cut, ended, awaited } = createFiles({ ...patient, patienceMs: 20, leastPerSecond: 1_000 });
    for (const [name, turn] of [
      ['1', 'a'],
      ['2', 'b'],
    ] as const)
      await open(name, turn).read();
    awaited.add('a');
    await waitUntil('the slow reader is cut off', () => cut.length > 0);
    expect([cut, ended]).toEqual([['1'], ['1']]);
  });

  test('that are read, given up or broken end once', async () => {
    const { open, ended } = createFiles();
    const whole = open('whole', 'a');
    while (!(await whole.read()).done);
    const left = open('left', 'a');
    await left.read();
    await left.cancel();
    const broken = open('broken', 'a', new Error('gone'));
    while (!(await broken.read()).done);
    expect(ended).toEqual(['whole', 'left', 'broken']);
  });
});

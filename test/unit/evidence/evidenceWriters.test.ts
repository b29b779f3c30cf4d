import { describe, expect, test } from 'vitest';
import { createEvidenceWriters, type WriterBounds } from '../../../src/api/evidence/evidenceWriters.ts';
import { RateLimitedError } from '../../../src/platform/errors/serviceError.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const never = 1_000_000_000;
const patient: WriterBounds = { stallMs: never, patienceMs: never, leastPerSecond: 0, checkMs: 5 };

/** Opens files of two pieces each, and collects the names of disconnected readers. */
function createFiles(bounds: WriterBounds = patient) {
  const writers = createEvidenceWriters(bounds);
  const cut: string[] = [];
  async function* pieces() {
    yield '1';
    yield '2';
  }
  return {
    cut,
    open(name: string, turn: string) {
      const stream = writers.open(pieces(), { turn, disconnect: () => cut.push(name) });
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
});

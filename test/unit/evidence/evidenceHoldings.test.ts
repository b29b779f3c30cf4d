import { describe, expect, test } from 'vitest';
import { createEvidenceHoldings } from '../../../src/api/evidence/evidenceHoldings.ts';
import { RateLimitedError } from '../../../src/platform/errors/serviceError.ts';
import { buildCollected, buildRecord } from './support/collected.ts';

const mostBytes = 1_000_000;
/** A history whose blocks take so many bytes. */
const build = (id: string, bytes: number) => ({
  ...buildCollected(buildRecord(id, 'a')),
  blocks: ['x'.repeat(bytes)],
});

describe('collected histories', () => {
  test('of one turn hold no more memory than allowed, and those of another do not count', () => {
    const { hold } = createEvidenceHoldings({ mostBytes });
    const release = hold(build('1', 600_000), 'a');
    hold(build('2', 300_000), 'a');
    expect(() => hold(build('3', 300_000), 'a')).toThrow(RateLimitedError);
    hold(build('3', 300_000), 'b');
    release();
    release();
    hold(build('3', 300_000), 'a');
    expect(() => hold(build('4', 600_000), 'a')).toThrow(RateLimitedError);
  });

  test('that several requests share count once, until the last request ends', () => {
    const { hold } = createEvidenceHoldings({ mostBytes });
    const shared = build('1', 600_000);
    const releases = [hold(shared, 'a'), hold(shared, 'a'), hold(shared, 'a')];
    hold(build('2', 300_000), 'a');
    for (const release of releases) {
      expect(() => hold(build('3', 600_000), 'a')).toThrow(RateLimitedError);
      release();
    }
    hold(build('3', 600_000), 'a');
  });

  test('that are longer than all together may be are given one at a time', () => {
    const { hold } = createEvidenceHoldings({ mostBytes });
    const release = hold(build('1', 2 * mostBytes), 'a');
    expect(() => hold(build('2', 1), 'a')).toThrow(RateLimitedError);
    release();
    hold(build('2', 1), 'a');
  });

  test('of a turn that refused one are short for some seconds, until all are released', () => {
    let nowMs = 0;
    const { hold, isShort } = createEvidenceHoldings({ mostBytes, now: () => nowMs });
    const release = hold(build('1', mostBytes), 'a');
    expect(isShort('a')).toBe(false);
    expect(() => hold(build('2', mostBytes), 'a')).toThrow(RateLimitedError);
    expect([isShort('a'), isShort('b')]).toEqual([true, false]);
    nowMs = 20_000;
    expect(isShort('a')).toBe(false);
    expect(() => hold(build('2', mostBytes), 'a')).toThrow(RateLimitedError);
    release();
    expect(isShort('a')).toBe(false);
  });
});

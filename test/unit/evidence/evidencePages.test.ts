import { afterAll, describe, expect, test } from 'vitest';
import { createEvidencePages } from '../../../src/api/evidence/evidencePages.ts';
import { RateLimitedError } from '../../../src/platform/errors/serviceError.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const mebibyte = 1024 * 1024;

async function* piecesOf(...pieces: string[]): AsyncGenerator<string> {
  yield* pieces;
}

describe('pages of evidence', () => {
  const pages = createEvidencePages();
  afterAll(() => pages.close());

  test('of a file that is too long are refused before all of it is read', async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<string> {
      for (;;) {
        read++;
        yield 'x'.repeat(mebibyte);
      }
    }
    await expect(pages.render(endless(), 'prn_a')).rejects.toMatchObject({ reason: 'evidence_too_long' });
    expect(read).toBe(9);
  });

  test('of one principal wait behind its own, and no more than a few of them', async () => {
    const opened: string[] = [];
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    async function* file(name: string): AsyncGenerator<string> {
      opened.push(name);
      await held;
      yield name === 'b' ? '{}' : 'x'.repeat(9 * mebibyte);
    }
    const many = Array.from({ length: 9 }, (_, at) => pages.render(file(`a${at}`), 'prn_a'));
    await expect(pages.render(piecesOf('{}'), 'prn_a')).rejects.toThrow(RateLimitedError);
    for (const page of many) page.catch(() => {});
    const other = pages.render(file('b'), 'prn_b');
    await waitUntil('the first is read', () => opened.length > 0);
    expect(opened).toEqual(['a0']);
    letGo();
    expect(await other).toContain('This file is invalid');
    expect(opened.slice(0, 3)).toContain('b');
    for (const page of many) await expect(page).rejects.toThrow('too large for a page');
  });
});

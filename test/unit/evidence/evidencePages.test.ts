import { afterAll, describe, expect, test } from 'vitest';
import { createEvidencePages } from '../../../src/api/evidence/evidencePages.ts';
import { RateLimitedError } from '../../../src/platform/errors/serviceError.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const mebibyte = 1024 * 1024;

describe('pages of evidence', () => {
  const pages = createEvidencePages();
  afterAll(() => pages.close());

  test('of a file that is too long are refused before any of it is read', async () => {
    let isRead = false;
    async function* pieces(): AsyncGenerator<string> {
      isRead = true;
      yield '{}';
    }
    const tooLong = { pieces: pieces(), bytes: 8 * mebibyte + 1 };
    await expect(pages.render(tooLong, 'prn_a')).rejects.toMatchObject({ reason: 'evidence_too_long' });
    expect(isRead).toBe(false);
    const longest = { pieces: pieces(), bytes: 8 * mebibyte };
    expect(await pages.render(longest, 'prn_a')).toContain('This file is invalid');
  });

  test('of one principal wait behind its own, and no more than a few of them', async () => {
    const opened: string[] = [];
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    async function* file(name: string): AsyncGenerator<string> {
      opened.push(name);
      await held;
      if (name.startsWith('a')) throw new Error('it is gone');
      yield '{}';
    }
    const many = Array.from({ length: 9 }, (_, at) =>
      pages.render({ pieces: file(`a${at}`), bytes: 2 }, 'prn_a'),
    );
    await expect(pages.render({ pieces: file('c'), bytes: 2 }, 'prn_a')).rejects.toThrow(RateLimitedError);
    for (const page of many) page.catch(() => {});
    const other = pages.render({ pieces: file('b'), bytes: 2 }, 'prn_b');
    await waitUntil('the first is read', () => opened.length > 0);
    expect(opened).toEqual(['a0']);
    letGo();
    expect(await other).toContain('This file is invalid');
    expect(opened.slice(0, 3)).toContain('b');
    for (const page of many) await expect(page).rejects.toThrow('it is gone');
  });
});

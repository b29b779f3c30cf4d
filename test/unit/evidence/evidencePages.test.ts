import { afterAll, describe, expect, test } from 'vitest';
import { createEvidencePages } from '../../../src/api/evidence/evidencePages.ts';
import { RateLimitedError } from '../../../src/platform/errors/serviceError.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const mebibyte = 1024 * 1024;
const ownA = { principalId: 'prn_a', turn: 'prn_a' };
const guestsOfA = { principalId: 'prn_a', turn: 'guests of prn_a' };

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
    await expect(pages.render(tooLong, ownA)).rejects.toMatchObject({ reason: 'evidence_too_long' });
    expect(isRead).toBe(false);
    const longest = { pieces: pieces(), bytes: 8 * mebibyte };
    expect(await pages.render(longest, ownA)).toContain('This file is invalid');
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
      pages.render({ pieces: file(`a${at}`), bytes: 2 }, ownA),
    );
    await expect(pages.render({ pieces: file('c'), bytes: 2 }, ownA)).rejects.toThrow(RateLimitedError);
    for (const page of many) page.catch(() => {});
    const other = pages.render({ pieces: file('b'), bytes: 2 }, { principalId: 'prn_b', turn: 'prn_b' });
    await waitUntil('the first is read', () => opened.length > 0);
    expect(opened).toEqual(['a0']);
    letGo();
    expect(await other).toContain('This file is invalid');
    expect(opened.slice(0, 3)).toContain('b');
    for (const page of many) await expect(page).rejects.toThrow('it is gone');
  });

  test('of a principal and of its guests share one turn, in rotation, and wait apart', async () => {
    const opened: string[] = [];
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    async function* file(name: string): AsyncGenerator<string> {
      opened.push(name);
      await held;
      // A file that cannot be read needs no thread.
      if (name !== '') throw new Error('it is gone');
      yield '{}';
    }
    const render = (name: string, owner: { principalId: string; turn: string }) =>
      pages.render({ pieces: file(name), bytes: 2 }, owner);
    const other = { principalId: 'prn_b', turn: 'prn_b' };
    const all = [
      render('under way', { principalId: 'prn_c', turn: 'prn_c' }),
      ...Array.from({ length: 8 }, (_, at) => render(`guest ${at}`, guestsOfA)),
      render('own 0', ownA),
      render('own 1', ownA),
      render('other 0', other),
      render('other 1', other),
    ];
    await expect(render('one guest more', guestsOfA)).rejects.toThrow(RateLimitedError);
    for (const page of all) page.catch(() => {});
    letGo();
    for (const page of all) await expect(page).rejects.toThrow('it is gone');
    expect(opened.slice(0, 8)).toEqual([
      'under way',
      ...['guest 0', 'other 0', 'own 0', 'other 1', 'guest 1', 'own 1', 'guest 2'],
    ]);
  });
});

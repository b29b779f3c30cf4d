import type { Issue } from './errors.ts';

/** Authors choose the names around a number, and each warning repeats them. */
const longestPath = 1_000;

/** Warnings about numbers that may not be what the author wrote: JSON text can hold larger ones than a parsed document. */
export function* warnOfNumbers(value: unknown, path = ''): Generator<Issue> {
  if (typeof value === 'number') {
    const message = describeLoss(value);
    if (message !== undefined) yield { path: cut(path), message };
  } else if (typeof value === 'object' && value !== null) {
    // Cut also here: below a long name there may be very many numbers, and each would copy that.
    const root = path === '' ? '' : `${cut(path)}.`;
    for (const [key, member] of Object.entries(value)) yield* warnOfNumbers(member, root + key);
  }
}

function describeLoss(value: number): string | undefined {
  if (!Number.isFinite(value)) return 'is too large for a number: null is signed and stored in its place';
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return undefined;
  return `may have lost digits: ${value} is signed and stored. Write it as text`;
}

function cut(path: string): string {
  return path.length <= longestPath ? path : `${path.slice(0, longestPath - 1)}…`.toWellFormed();
}

import { MalformedError } from '../errors/serviceError.ts';

/** The last row of a page: the next one begins after it. Ids make the order of equal instants definite. */
export type Position = { readonly epochMs: number; readonly id: string };

const latestMs = 8_640_000_000_000_000;

/** A position as callers keep it, of which they need to know nothing. */
export function writeCursor({ epochMs, id }: Position): string {
  return Buffer.from(`${epochMs} ${id}`).toString('base64url');
}

/** @throws MalformedError for anything that `writeCursor` does not make. */
export function parseCursor(text: string): Position {
  const [, ms, id] =
    /^(\d{1,16}) ([a-z]+_[0-9a-z]{1,64})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (ms !== undefined && id !== undefined && Number(ms) <= latestMs) return { epochMs: Number(ms), id };
  const issues = [{ path: 'cursor', message: 'is none that this list has given' }];
  throw new MalformedError('The query is not as expected.', { field: 'cursor', issues });
}

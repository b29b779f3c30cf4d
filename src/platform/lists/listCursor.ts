import { hash } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../errors/parseJson.ts';
import { malformed } from '../errors/serviceError.ts';

/** The identity of a list: its name, its owner, its order, and all of its filters. */
export type ListName = readonly unknown[];

const latestMs = 8_640_000_000_000_000;
/** The parts of positions: milliseconds since 1970, and the id of a resource. */
export const positionParts = {
  instant: z.int().min(0).max(latestMs),
  id: z.string().regex(/^[a-z]+_[0-9a-z]{1,64}$/),
};

/** A position in a list in the form that callers store, opaque to them. It is valid for that list only. */
export function writeListCursor(list: ListName, position: readonly unknown[]): string {
  return Buffer.from(JSON.stringify([markOf(list), ...position])).toString('base64url');
}

/** @throws MalformedError for anything that `writeListCursor` does not make of such a position in this list. */
export function parseListCursor<Position>(
  list: ListName,
  { cursor, shape }: { cursor: string; shape: z.ZodType<Position> },
): Position {
  const value = parseJson(Buffer.from(cursor, 'base64url').toString());
  const [mark, ...position]: unknown[] = Array.isArray(value) ? value : [];
  const parsed = shape.safeParse(position);
  if (mark === markOf(list) && parsed.success) return parsed.data;
  const message = 'is not a valid cursor for this list with this sort order and these filters';
  throw malformed('query', [{ path: 'cursor', message }]);
}

function markOf(list: ListName): string {
  return hash('sha256', JSON.stringify(list), 'base64url').slice(0, 16);
}

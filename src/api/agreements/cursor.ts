import { z } from 'zod';
import { MalformedError } from '../errors/serviceError.ts';
import type { Sort } from './sort.ts';

/**
 * The last row of a page: the next one begins after it. Rows of the same key are told apart by their rank, which is 0 where the
 * list has none, and then by their ids, which make the order definite.
 */
export type Position = { readonly key: string | number; readonly rank: number; readonly id: string };

const maxTextKey = 2_000;
const latestMs = 8_640_000_000_000_000;
const keyShapes = {
  instant: z.int().min(0).max(latestMs),
  // Nothing but what can have been stored: the database would not take it as a parameter either.
  text: z
    .string()
    .max(maxTextKey)
    .refine((text) => text.isWellFormed() && !text.includes('\0')),
};
const maxRank = 2_147_483_647;
const rankShape = z.int().min(0).max(maxRank);
const idShape = z.string().regex(/^[a-z]+_[0-9a-z]{1,64}$/);

/** A position in a list as callers keep it, of which they need to know nothing. */
export function writeCursor({ name, direction }: Sort, { key, rank, id }: Position): string {
  return Buffer.from(JSON.stringify([name, direction, key, rank, id])).toString('base64url');
}

/** @throws MalformedError for anything that `writeCursor` does not make for a list in this order. */
export function parseCursor({ name, kind, direction }: Sort, text: string): Position {
  const shape = z.tuple([z.literal(name), z.literal(direction), keyShapes[kind], rankShape, idShape]);
  const parsed = shape.safeParse(parseJson(Buffer.from(text, 'base64url').toString()));
  if (parsed.success) return { key: parsed.data[2], rank: parsed.data[3], id: parsed.data[4] };
  const issues = [{ path: 'cursor', message: 'is none that this list has given in this order' }];
  throw new MalformedError('The query is not as expected.', { field: 'cursor', issues });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

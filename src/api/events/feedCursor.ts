import { z } from 'zod';
import { MalformedError } from '../errors/serviceError.ts';

/** A place in the feed of one principal: everything up to `position` is behind it. */
export type FeedPlace = { readonly principalId: string; readonly position: number };

/** The place as callers keep it, of which they need to know nothing. */
export function writeFeedCursor({ principalId, position }: FeedPlace): string {
  return Buffer.from(JSON.stringify(['events', principalId, position])).toString('base64url');
}

/** @throws MalformedError for anything that `writeFeedCursor` does not make for this principal. */
export function parseFeedCursor(text: string, principalId: string): number {
  const shape = z.tuple([z.literal('events'), z.literal(principalId), z.int().min(0)]);
  const parsed = shape.safeParse(parseJson(Buffer.from(text, 'base64url').toString()));
  if (!parsed.success) throw refuseCursor('is none that this feed has given');
  return parsed.data[2];
}

export function refuseCursor(message: string): MalformedError {
  const issues = [{ path: 'after', message }];
  return new MalformedError('The query is not as expected.', { field: 'after', issues });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

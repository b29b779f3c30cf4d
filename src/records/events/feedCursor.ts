import { z } from 'zod';
import { parseJson } from '../../platform/errors/parseJson.ts';
import { type MalformedError, malformed, RefusedError } from '../../platform/errors/serviceError.ts';

/** A position in one principal's feed, after the event `position`. */
export type FeedPlace = {
  readonly principalId: string;
  readonly position: number;
  /** The event at that position, which distinguishes this feed from another; undefined before the first event. */
  readonly eventId?: string | undefined;
};

/** A cursor's position, and the mark of the event there; the mark is null in cursors without one. */
export type ParsedCursor = { readonly position: number; readonly mark: string | null };

const markLength = 16;

/** The position in the form that callers store, opaque to them. */
export function writeFeedCursor({ principalId, position, eventId }: FeedPlace): string {
  const mark = eventId === undefined ? [] : [markEvent(eventId)];
  return Buffer.from(JSON.stringify(['events', principalId, position, ...mark])).toString('base64url');
}

/** The mark of an event in cursors: enough to distinguish two events at one position. */
export function markEvent(eventId: string): string {
  return eventId.slice(-markLength);
}

/** @throws MalformedError for anything that `writeFeedCursor` does not make for this principal. */
export function parseFeedCursor(text: string, principalId: string): ParsedCursor {
  const place = [z.literal('events'), z.literal(principalId), z.int().min(0)] as const;
  const shape = z.union([z.tuple(place), z.tuple([...place, z.string().length(markLength)])]);
  const parsed = shape.safeParse(parseJson(Buffer.from(text, 'base64url').toString()));
  if (!parsed.success) throw refuseCursor('is not a valid cursor of this feed');
  const [, , position, mark = null] = parsed.data;
  return { position, mark };
}

export function refuseCursor(message: string): MalformedError {
  return malformed('query', [{ path: 'after', message }]);
}

/** For a cursor after which events were removed: reading on would silently skip them. */
export function refuseExpired(): RefusedError {
  const message =
    'Events after this cursor are no longer kept. Start again without a cursor, and read the records for missed changes.';
  return new RefusedError('cursor_expired', message, { field: 'after' });
}

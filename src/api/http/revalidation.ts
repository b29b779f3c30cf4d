import { createHash } from 'node:crypto';

/** A text that a caller may keep, and what the caller has of it. */
type Kept = {
  readonly requestId: string;
  /** The If-None-Match header. */
  readonly ifNoneMatch: string | null;
  /** What is the same as long as the answer is, in this form. */
  readonly content: string;
};

/**
 * An answer that its caller alone may keep, and has to ask for again before each use: 304 without a body where the caller has it
 * already. For routes whose form follows the Accept header.
 */
export function respondRevalidated(response: Response, { requestId, ifNoneMatch, content }: Kept): Response {
  const type = response.headers.get('content-type') ?? '';
  // A weak one: the same content in JSON stands beside a request id that is another each time.
  const etag = `W/"${createHash('sha256').update(`${type}\n${content}`).digest('base64url')}"`;
  const headers = {
    etag,
    'cache-control': 'private, no-cache',
    vary: 'Accept',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  };
  if (listTags(ifNoneMatch).some((tag) => tag === '*' || tag === etag || `W/${tag}` === etag))
    return new Response(null, { status: 304, headers });
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

function listTags(ifNoneMatch: string | null): string[] {
  return (ifNoneMatch ?? '').split(',').map((tag) => tag.trim());
}

import { createHash } from 'node:crypto';
import { isKnownTag } from './isKnownTag.ts';

/** A cacheable text, and the caller's cached version. */
type Kept = {
  readonly requestId: string;
  /** The If-None-Match header. */
  readonly ifNoneMatch: string | null;
  /** Identifies the content in this form. */
  readonly content: string;
};

/**
 * An answer that only its caller may cache, and must revalidate before each use: 304 without a body if the
 * caller has it already. For routes whose form follows the Accept header.
 */
export function respondRevalidated(response: Response, { requestId, ifNoneMatch, content }: Kept): Response {
  const type = response.headers.get('content-type') ?? '';
  // A weak ETag: the same content in JSON comes with a new request id each time.
  const etag = `W/"${createHash('sha256').update(`${type}\n${content}`).digest('base64url')}"`;
  const headers = {
    etag,
    'cache-control': 'private, no-cache',
    vary: 'Accept',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  };
  if (isKnownTag(ifNoneMatch, etag)) return new Response(null, { status: 304, headers });
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

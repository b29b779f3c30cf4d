import type { RouteConfig } from '@hono/zod-openapi';
import type { Reason } from '../../platform/errors/serviceError.ts';
import { codesByStatus, type ErrorStatus } from '../../platform/http/errorResponse.ts';
import { always, commonHeaders, limitHeaders, optional } from './responseHeaders.ts';

/** The property of a route that decides which headers its failures have. */
export type RouteKind =
  /** For principals. */
  | 'own'
  /** For principals, with an Idempotency-Key. */
  | 'repeatable'
  /** Also for callers without a key, whose requests may not be counted. */
  | 'open'
  /** Both. */
  | 'openRepeatable';

const prefixes = { own: '', repeatable: 'repeatable', open: 'open', openRepeatable: 'open_repeatable' };

const meanings: Record<ErrorStatus, string> = {
  400: 'The request is malformed or invalid. `details` says what to change.',
  401: 'The API key is missing, invalid, disabled or revoked.',
  402: 'This scope requires a paid plan, or a quota of the principal is used up.',
  403: 'The principal is not entitled to this scope or does not own the resource.',
  404: 'The resource does not exist.',
  405: 'The route does not support this method.',
  409: 'The request conflicts with the current state of the agreement, a nonce or another resource.',
  413: 'The body is too large, or is sent in more than 1,024 chunks.',
  415: 'The body is not JSON in UTF-8.',
  429: 'Too many requests. Wait for the time in `Retry-After`.',
  500: 'Internal error.',
  503: 'A chain or the database is unavailable. Repeat the same request after the time in `Retry-After`.',
};

/** The same failures on any route, by the names of their components in the document. */
export const failureComponents = Object.fromEntries(
  Object.keys(meanings)
    .map((status) => Number(status) as ErrorStatus)
    .flatMap((status) =>
      (['own', 'repeatable', 'open', 'openRepeatable'] as const).map((kind) => [
        nameFailure(status, kind),
        buildFailure(status, [], kind),
      ]),
    ),
);

/** A failure of this status with one of these reasons; without reasons it refers to a component. */
export function describeFailure(
  status: ErrorStatus,
  reasons: readonly Reason[],
  kind: RouteKind,
): RouteConfig['responses'][string] {
  if (reasons.length > 0) return buildFailure(status, reasons, kind);
  return { $ref: `#/components/responses/${nameFailure(status, kind)}` };
}

/** Such as `NotFound`, `RepeatableNotFound` and `OpenNotFound`. */
function nameFailure(status: ErrorStatus, kind: RouteKind): string {
  const prefix = hasSameHeaders(status, kind, 'own') ? '' : `_${prefixes[kind]}`;
  return `${prefix}_${codesByStatus[status]}`.replaceAll(/_([a-z])/g, (_, letter: string) =>
    letter.toUpperCase(),
  );
}

function hasSameHeaders(status: ErrorStatus, ...kinds: [RouteKind, RouteKind]): boolean {
  const [first, second] = kinds.map((kind) => JSON.stringify(failureHeaders(status, kind)));
  return first === second;
}

function buildFailure(status: ErrorStatus, reasons: readonly Reason[], kind: RouteKind) {
  const reasonsText = reasons.map((reason) => `\`${reason}\``).join(', ');
  return {
    description: reasonsText ? `${meanings[status]} Reasons: ${reasonsText}.` : meanings[status],
    headers: { ...commonHeaders, ...failureHeaders(status, kind) },
    content: { 'application/json': { schema: buildErrorSchema(status, reasons) } },
  };
}

/** Rate limits are counted for authenticated callers, and reported in every response after that point. */
function failureHeaders(status: ErrorStatus, kind: RouteKind) {
  if (status === 401) return always('WWW-Authenticate');
  if (status === 500) return {};
  const isOpen = kind === 'open' || kind === 'openRepeatable';
  const limits = isOpen ? optional('RateLimit-Policy', 'RateLimit') : limitHeaders;
  const isRepeatable = kind === 'repeatable' || kind === 'openRepeatable';
  const repeated = isRepeatable ? optional('Idempotency-Replayed') : {};
  // Without the database nothing can be counted.
  if (status === 503) return { ...optional('RateLimit-Policy', 'RateLimit'), ...always('Retry-After') };
  // A client that tries too many unknown keys must wait, before any principal is known.
  if (status === 429)
    return { ...optional('RateLimit-Policy', 'RateLimit'), ...always('Retry-After'), ...repeated };
  // Requests from pages of other origins are refused before their cookie is looked up.
  if (status === 403) return { ...optional('RateLimit-Policy', 'RateLimit'), ...repeated };
  if (status === 409) return { ...limits, ...optional('Retry-After'), ...repeated };
  return { ...limits, ...repeated };
}

/** The error object with the code of the status, and with one of these reasons, if any. */
function buildErrorSchema(status: ErrorStatus, reasons: readonly Reason[]) {
  const code = { type: 'string' as const, const: codesByStatus[status] };
  const reason = reasons.length > 0 ? { type: 'string' as const, enum: [...reasons] } : { not: {} };
  const details = { type: 'object' as const, properties: { reason } };
  const properties = { code, details };
  return {
    allOf: [
      { $ref: '#/components/schemas/ErrorBody' },
      { type: 'object' as const, properties: { error: { type: 'object' as const, properties } } },
    ],
  };
}

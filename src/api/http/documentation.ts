import { type RouteConfig, z } from '@hono/zod-openapi';
import { type Reason, reasons } from '../errors/serviceError.ts';
import { metaShape, pageInfoShape } from './envelopes.ts';
import { codesByStatus, type ErrorStatus, statusByReason } from './errorResponse.ts';

/** What an endpoint answers with: one resource, or a page of them. */
export type DataShape = {
  readonly schema: z.ZodType;
  readonly description: string;
  readonly isList?: boolean;
  /** The media types other than JSON that an Accept header can ask for. */
  readonly otherForms?: readonly string[];
  /** Whether a caller that names the ETag it has may be told that it still holds. */
  readonly isRevalidated?: boolean;
};

const issueShape = z
  .object({ path: z.string(), message: z.string() })
  .openapi('Issue', { description: 'One thing to fix, and where.' });

export const errorShape = z
  .object({
    error: z.object({
      code: z.enum(Object.values(codesByStatus)),
      message: z.string().openapi({ description: 'For people; may change.' }),
      details: z
        .looseObject({
          reason: z.enum(reasons).optional(),
          field: z.string().optional(),
          issues: z.array(issueShape).optional(),
        })
        .optional(),
      requestId: z.string(),
    }),
  })
  .openapi('Error');

const meanings: Record<ErrorStatus, string> = {
  400: 'The request is malformed, or its content is not valid: the details say what to change.',
  401: 'The API key is missing, not valid, disabled or revoked.',
  402: 'The use of this scope has to be paid for.',
  403: 'The principal is not entitled to this scope, or does not own the resource.',
  404: 'There is no such resource.',
  405: 'The route is used with another method.',
  409: 'The state of the agreement, a nonce or another resource is in the way.',
  413: 'The body is too large.',
  415: 'The body is not JSON in UTF-8.',
  429: 'Too many requests; Retry-After says when to go on.',
  500: 'The service failed.',
  503: 'A chain or the way to it does not answer now; Retry-After says when to try again.',
};
const everywhere = [400, 401, 402, 403, 429, 500] as const;

const requestIdHeader = {
  'X-Request-Id': z.string().openapi({
    description: 'Names the request in the log of the service; the one that was sent, where that is sane.',
    example: 'req_0123456789abcdef0123456789abcdef',
  }),
};
const limitHeaders = {
  'RateLimit-Policy': z
    .string()
    .openapi({ description: 'The quota q that flows in within w seconds.', example: '"read";q=100;w=2' }),
  RateLimit: z.string().openapi({
    description: 'What is left of it, r, and the seconds until it is whole again, t.',
    example: '"read";r=97;t=1',
  }),
};
const replayHeaders = {
  'Idempotency-Replayed': z.literal('true').optional().openapi({
    description:
      'Present where this is what an earlier request with the same Idempotency-Key was answered with.',
  }),
};
const cacheHeaders = {
  ETag: z.string().openapi({ description: 'Of the content in this form, for If-None-Match.' }),
  Vary: z.string().openapi({ example: 'Accept' }),
  'Cache-Control': z.string().openapi({ example: 'private, no-cache' }),
};
const retryAfter = z.string().openapi({ description: 'Seconds.', example: '1' });
const challengeHeaders = { 'WWW-Authenticate': z.string().openapi({ example: 'Bearer realm="agreements"' }) };

/** What every answer of the service carries. */
export const commonHeaders = z.object(requestIdHeader);

/** What an endpoint is documented with beside its request. */
export type Answers = {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly data: DataShape;
  readonly successStatus: 200 | 201;
  /** Statuses of refusals beside those of every endpoint. */
  readonly refusals: readonly ErrorStatus[];
  readonly reasons: readonly Reason[];
};

/** The responses of an endpoint: its success, its own refusals and those of every endpoint. */
export function buildResponses(answers: Answers): RouteConfig['responses'] {
  const { method, data, successStatus, refusals, reasons: ownReasons } = answers;
  const byStatus = Map.groupBy(ownReasons, (reason): ErrorStatus => statusByReason[reason]);
  const statuses = [...new Set<ErrorStatus>([...everywhere, ...refusals, ...byStatus.keys()])];
  const repeatable = method === 'post' ? replayHeaders : {};
  const failures = statuses
    .toSorted((a, b) => a - b)
    .map((status) => [status, describeFailure(status, byStatus.get(status) ?? [], repeatable)] as const);
  const headers = { ...requestIdHeader, ...limitHeaders, ...repeatable };
  const revalidated = z.object({ ...headers, ...cacheHeaders });
  return {
    [successStatus]: {
      description: data.description,
      headers: data.isRevalidated ? revalidated : z.object(headers),
      content: describeContent(data),
    },
    ...(data.isRevalidated && {
      304: { description: 'What If-None-Match names is still what there is.', headers: revalidated },
    }),
    ...Object.fromEntries(failures),
  };
}

function describeContent({ schema, isList, otherForms = [] }: DataShape) {
  const envelope = isList
    ? z.object({ data: z.array(schema), pageInfo: pageInfoShape, meta: metaShape })
    : z.object({ data: schema, meta: metaShape });
  const others = otherForms.map((form) => [form, { schema: z.string() }] as const);
  return { 'application/json': { schema: envelope }, ...Object.fromEntries(others) };
}

function describeFailure(
  status: ErrorStatus,
  statusReasons: readonly Reason[],
  repeatable: Partial<typeof replayHeaders>,
) {
  const reasonsText = statusReasons.map((reason) => `\`${reason}\``).join(', ');
  return {
    description: reasonsText ? `${meanings[status]} Reasons: ${reasonsText}.` : meanings[status],
    headers: z.object({
      ...requestIdHeader,
      ...failureHeaders(status),
      ...(status === 401 || status >= 500 ? {} : repeatable),
    }),
    content: { 'application/json': { schema: buildErrorSchema(status, statusReasons) } },
  };
}

/** Limits are counted for callers that are known, and told wherever the service came so far. */
function failureHeaders(status: ErrorStatus) {
  if (status === 401) return challengeHeaders;
  if (status === 500) return {};
  if (status === 429 || status === 503) return { ...limitHeaders, 'Retry-After': retryAfter };
  if (status === 409) return { ...limitHeaders, 'Retry-After': retryAfter.optional() };
  return limitHeaders;
}

/** The error object with the code of the status, and where the details have a reason, with one of these. */
function buildErrorSchema(status: ErrorStatus, statusReasons: readonly Reason[]) {
  const code = { type: 'string' as const, const: codesByStatus[status] };
  const reason = { type: 'string' as const, enum: [...statusReasons] };
  const details = { details: { type: 'object' as const, properties: { reason } } };
  const properties = { code, ...(statusReasons.length > 0 && details) };
  return {
    allOf: [
      { $ref: '#/components/schemas/Error' },
      { type: 'object' as const, properties: { error: { type: 'object' as const, properties } } },
    ],
  };
}

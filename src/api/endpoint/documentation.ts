import { type RouteConfig, z } from '@hono/zod-openapi';
import { type Reason, reasons } from '../../platform/errors/serviceError.ts';
import { codesByStatus, type ErrorStatus, statusByReason } from '../../platform/http/errorResponse.ts';
import { metaShape, pageInfoShape } from '../shapes/envelopes.ts';

/** The answer of an endpoint: one resource, or a page of them. */
export type DataShape = {
  readonly schema: z.ZodType;
  readonly description: string;
  readonly isList?: boolean;
  /** Media types other than JSON that an Accept header can ask for. */
  readonly otherForms?: readonly string[];
  /** Whether JSON comes as a file, without the envelope. If it is not ready yet, the answer is 202 with this. */
  readonly file?: { readonly pending: z.ZodType };
  readonly isStream?: boolean;
  /** Whether a caller that sends its ETag may get 304. */
  readonly isRevalidated?: boolean;
};

const issueShape = z
  .object({ path: z.string(), message: z.string() })
  .openapi('Issue', { description: 'A problem with the request, and where it is.' });

export const errorShape = z
  .object({
    error: z.object({
      code: z.enum(Object.values(codesByStatus)),
      message: z
        .string()
        .openapi({ description: 'For humans. The wording may change; branch on `code` instead.' }),
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
  .openapi('ErrorBody');

const meanings: Record<ErrorStatus, string> = {
  400: 'The request is malformed or invalid. `details` says what to change.',
  401: 'The API key is missing, invalid, disabled or revoked.',
  402: 'This scope requires a paid plan.',
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
const everywhere = [400, 401, 402, 403, 429, 500, 503] as const;

/** The headers of answers, as components of the document; documented ones are always present. */
export const headerComponents = {
  'X-Request-Id': header({
    description: 'Identifies the request in the logs of the service. A valid id sent by the caller is kept.',
    example: 'req_0123456789abcdef0123456789abcdef',
  }),
  'RateLimit-Policy': header({
    description: 'The rate limit: `q` requests are refilled every `w` seconds.',
    example: '"read";q=100;w=2',
  }),
  RateLimit: header({
    description: '`r` requests remain. The limit is fully refilled in `t` seconds.',
    example: '"read";r=97;t=1',
  }),
  'Retry-After': header({ description: 'Seconds to wait before the next request.', example: '1' }),
  'WWW-Authenticate': header({ description: 'How to authenticate.', example: 'Bearer realm="agreements"' }),
  'Idempotency-Replayed': header({
    description: 'Present if this response repeats that of an earlier request with the same key.',
    example: 'true',
  }),
  ETag: header({
    description: 'Identifies this representation of the content. Send it in `If-None-Match`.',
    example: 'W/"2jmj7l5rSw0yVb"',
  }),
  Vary: header({ description: 'The request headers that select the representation.', example: 'Accept' }),
  'Cache-Control': header({ description: 'Who may cache the response.', example: 'private, no-cache' }),
};
type HeaderName = keyof typeof headerComponents;

function header({ description, example }: { description: string; example: string }) {
  return { description, required: true, schema: { type: 'string' as const }, example };
}

function always(...names: HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function sometimes(...names: HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { ...headerComponents[name], required: false }]));
}

type HeaderSet = ReturnType<typeof always> | ReturnType<typeof sometimes>;

export const commonHeaders = always('X-Request-Id');
const limitHeaders = always('RateLimit-Policy', 'RateLimit');

/** The documentation of an endpoint besides its request. */
export type Answers = {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** Whether it has callers other than principals. */
  readonly isOpen: boolean;
  readonly data: DataShape;
  readonly successStatus: 200 | 201;
  /** Statuses of refusals in addition to those of every endpoint. */
  readonly refusals: readonly ErrorStatus[];
  readonly reasons: readonly Reason[];
};

/** The responses of an endpoint: its success, its own refusals and those of every endpoint. */
export function buildResponses(answers: Answers): RouteConfig['responses'] {
  const { method, isOpen, data, successStatus, refusals, reasons: ownReasons } = answers;
  const byStatus = Map.groupBy(ownReasons, (reason): ErrorStatus => statusByReason[reason]);
  const statuses = [...new Set<ErrorStatus>([...everywhere, ...refusals, ...byStatus.keys()])];
  const repeatable = method === 'post' && !isOpen ? sometimes('Idempotency-Replayed') : {};
  const limits = isOpen ? sometimes('RateLimit-Policy', 'RateLimit') : limitHeaders;
  const failures = statuses
    .toSorted((a, b) => a - b)
    .map(
      (status) =>
        [status, describeFailure(status, byStatus.get(status) ?? [], { repeatable, limits })] as const,
    );
  const headers = {
    ...commonHeaders,
    ...limits,
    ...repeatable,
    ...(data.isRevalidated && always('ETag', 'Vary', 'Cache-Control')),
  };
  return {
    [successStatus]: {
      description: data.description,
      headers,
      content: describeContent(data),
    },
    ...(data.file && {
      202: {
        description:
          'Not ready yet. Repeat the request after the time in `Retry-After` to get the progress or the result.',
        headers: { ...headers, ...always('Retry-After') },
        content: {
          'application/json': { schema: z.object({ data: data.file.pending, meta: metaShape }) },
        },
      },
    }),
    ...(data.isRevalidated && {
      304: { description: 'The content has not changed since the `ETag` in `If-None-Match`.', headers },
    }),
    ...Object.fromEntries(failures),
  };
}

function describeContent({ schema, isList, isStream, file, otherForms = [] }: DataShape) {
  if (isStream) return { 'text/event-stream': { schema } };
  if (file) {
    const others = otherForms.map((form) => [form, { schema: z.string() }] as const);
    return { 'application/json': { schema }, ...Object.fromEntries(others) };
  }
  const envelope = isList
    ? z.object({ data: z.array(schema), pageInfo: pageInfoShape, meta: metaShape })
    : z.object({ data: schema, meta: metaShape });
  const others = otherForms.map((form) => [form, { schema: z.string() }] as const);
  return { 'application/json': { schema: envelope }, ...Object.fromEntries(others) };
}

function describeFailure(
  status: ErrorStatus,
  statusReasons: readonly Reason[],
  { repeatable, limits }: { repeatable: HeaderSet; limits: HeaderSet },
) {
  const reasonsText = statusReasons.map((reason) => `\`${reason}\``).join(', ');
  return {
    description: reasonsText ? `${meanings[status]} Reasons: ${reasonsText}.` : meanings[status],
    headers: {
      ...commonHeaders,
      ...failureHeaders(status, limits),
      ...(status === 401 || status >= 500 ? {} : repeatable),
    },
    content: { 'application/json': { schema: buildErrorSchema(status, statusReasons) } },
  };
}

/** Rate limits are counted for authenticated callers, and reported in every answer after that point. */
function failureHeaders(status: ErrorStatus, limits: HeaderSet) {
  if (status === 401) return always('WWW-Authenticate');
  if (status === 500) return {};
  // A client that tries too many unknown keys must wait, before any principal is known. Requests from pages
  // of other origins are refused before their cookie is looked up.
  if (status === 403) return sometimes('RateLimit-Policy', 'RateLimit');
  // Without the database nothing can be counted.
  if (status === 429 || status === 503)
    return { ...sometimes('RateLimit-Policy', 'RateLimit'), ...always('Retry-After') };
  if (status === 409) return { ...limits, ...sometimes('Retry-After') };
  return limits;
}

/** The error object with the code of the status, and with one of these reasons, if any. */
function buildErrorSchema(status: ErrorStatus, statusReasons: readonly Reason[]) {
  const code = { type: 'string' as const, const: codesByStatus[status] };
  const reason =
    statusReasons.length > 0 ? { type: 'string' as const, enum: [...statusReasons] } : { not: {} };
  const details = { type: 'object' as const, properties: { reason } };
  const properties = { code, details };
  return {
    allOf: [
      { $ref: '#/components/schemas/ErrorBody' },
      { type: 'object' as const, properties: { error: { type: 'object' as const, properties } } },
    ],
  };
}

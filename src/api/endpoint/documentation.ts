import { type RouteConfig, z } from '@hono/zod-openapi';
import { type Reason, reasons } from '../../platform/errors/serviceError.ts';
import { codesByStatus, type ErrorStatus, statusByReason } from '../../platform/http/errorResponse.ts';
import { metaShape, pageInfoShape } from '../shapes/envelopes.ts';
import { describeFailure } from './describeFailure.ts';
import { always, commonHeaders, limitHeaders, optional } from './responseHeaders.ts';

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

const everywhere = [400, 401, 402, 403, 429, 500, 503] as const;

/** The documentation of an endpoint besides its request. */
export type Answers = {
  /** Whether it has callers other than principals. */
  readonly isOpen: boolean;
  /** Whether it honours Idempotency-Keys. */
  readonly isRepeatable: boolean;
  readonly data: DataShape;
  readonly successStatus: 200 | 201;
  /** Statuses of refusals in addition to those of every endpoint. */
  readonly refusals: readonly ErrorStatus[];
  readonly reasons: readonly Reason[];
};

/** The responses of an endpoint: its success, its own refusals and those of every endpoint. */
export function buildResponses(answers: Answers): RouteConfig['responses'] {
  const { isOpen, isRepeatable, data, successStatus, refusals, reasons: ownReasons } = answers;
  const byStatus = Map.groupBy(ownReasons, (reason): ErrorStatus => statusByReason[reason]);
  const statuses = [...new Set<ErrorStatus>([...everywhere, ...refusals, ...byStatus.keys()])];
  const ownKind = isRepeatable ? 'repeatable' : 'own';
  const openKind = isRepeatable ? 'openRepeatable' : 'open';
  const kind = isOpen ? openKind : ownKind;
  const failures = statuses
    .toSorted((a, b) => a - b)
    .map((status) => [status, describeFailure(status, byStatus.get(status) ?? [], kind)] as const);
  const headers = {
    ...commonHeaders,
    ...(isOpen ? optional('RateLimit-Policy', 'RateLimit') : limitHeaders),
    ...(isRepeatable && optional('Idempotency-Replayed')),
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

import { type RouteConfig, z } from '@hono/zod-openapi';
import { reasons } from '../errors/serviceError.ts';
import { metaShape, pageInfoShape } from './envelopes.ts';
import { codesByStatus, type ErrorStatus } from './errorResponse.ts';

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

const limitHeaders = {
  'RateLimit-Policy': z
    .string()
    .openapi({ description: 'The quota q that flows in within w seconds.', example: '"read";q=100;w=2' }),
  RateLimit: z.string().openapi({
    description: 'What is left of it, r, and the seconds until it is whole again, t.',
    example: '"read";r=97;t=1',
  }),
};
const successHeaders = z.object({ 'X-Request-Id': z.string(), ...limitHeaders });
const retryHeaders = z.object({
  'Retry-After': z.string().openapi({ description: 'Seconds.', example: '1' }),
});
const isRetried = (status: ErrorStatus) => status === 429 || status === 503;

/** The responses of an endpoint: its success, its own refusals and those of every endpoint. */
export function buildResponses(
  { schema, description, isList, otherForms = [], isRevalidated }: DataShape,
  refusals: readonly ErrorStatus[],
): RouteConfig['responses'] {
  const envelope = isList
    ? z.object({ data: z.array(schema), pageInfo: pageInfoShape, meta: metaShape })
    : z.object({ data: schema, meta: metaShape });
  const statuses = [...new Set<ErrorStatus>([...everywhere, ...refusals])].toSorted((a, b) => a - b);
  const content = { 'application/json': { schema: errorShape } };
  const failures = statuses.map((status) => {
    const headers = isRetried(status) && { headers: retryHeaders };
    return [status, { description: meanings[status], content, ...headers }] as const;
  });
  const others = otherForms.map((form) => [form, { schema: z.string() }] as const);
  return {
    200: {
      description,
      headers: successHeaders,
      content: { 'application/json': { schema: envelope }, ...Object.fromEntries(others) },
    },
    ...(isRevalidated && { 304: { description: 'What If-None-Match names is still what there is.' } }),
    ...Object.fromEntries(failures),
  };
}

import { createRoute, type RouteConfig, z } from '@hono/zod-openapi';
import type { ClientProfile } from '../../platform/config/clientProfile.ts';
import type { Reason } from '../../platform/errors/serviceError.ts';
import type { ErrorStatus } from '../../platform/http/errorResponse.ts';
import { idempotencyHeader } from '../idempotency/idempotencyKey.ts';
import { buildResponses } from './documentation.ts';
import type {
  Credential,
  EndpointDefinition,
  EndpointParts,
  OpenEndpointDefinition,
} from './endpointDefinition.ts';
import { showExample } from './example.ts';
import { successStatus } from './successStatus.ts';

const keyHeaders = z.object({
  [idempotencyHeader]: z.string().optional().openapi({
    description:
      'Makes the request safe to retry. For 24 hours, a repeat with the same key returns the first response, unless that was a server error or refused the request with 400, 401, 402, 403, 413, 415 or 429.',
    example: '8e03978e-40d5-43e6-bc93-6894a57f9324',
  }),
});

const readParameters = {
  consistency: z.string().optional().openapi({
    description:
      'Consistency tokens from `meta.consistency` of earlier writes, separated by commas. The read waits until it includes those writes. If that takes too long, the response is 503.',
  }),
};

export function describeEndpoint(definition: EndpointDefinition, profile: ClientProfile): RouteConfig {
  const need =
    definition.scope === null ? 'Requires no scope.' : `Requires the scope \`${definition.scope}\`.`;
  const { credentials = ['apiKey', 'bearer', 'session'] } = definition;
  const security = credentials.map(securityOf);
  return describeParts(definition, {
    profile,
    need,
    security,
    isOpen: false,
    isRepeatable: definition.method === 'post',
  });
}

/** `describeEndpoint` for endpoints with other callers than principals. */
export function describeOpenEndpoint(
  definition: OpenEndpointDefinition,
  profile: ClientProfile,
): RouteConfig {
  const security = definition.credentials.map(securityOf);
  return describeParts(definition, {
    profile,
    need: undefined,
    security,
    isOpen: true,
    isRepeatable: definition.principalOf !== undefined,
  });
}

function securityOf(credential: Credential): Record<string, string[]> {
  return credential === 'none' ? {} : { [credential]: [] };
}

type Use = {
  readonly profile: ClientProfile;
  readonly need: string | undefined;
  readonly security: Record<string, string[]>[];
  readonly isOpen: boolean;
  /** Whether it honours Idempotency-Keys. */
  readonly isRepeatable: boolean;
};

function describeParts(
  definition: EndpointParts,
  { profile, need, security, isOpen, isRepeatable }: Use,
): RouteConfig {
  const { method, path, operationId, params, query, body, example } = definition;
  const hasBody = !(body instanceof z.ZodUndefined);
  const isBodyOptional = body instanceof z.ZodOptional;
  const isRead = method === 'get' || definition.isRead === true;
  const documentedQuery = isRead && !isOpen ? query.extend(readParameters) : query;
  const refusals: ErrorStatus[] = isRepeatable ? [409] : [];
  const reasons = definition.reasons ?? [];
  const takesChain = 'chainId' in query.shape;
  return createRoute({
    method,
    path,
    operationId,
    tags: [definition.tag],
    summary: definition.summary,
    description: [definition.description, need].filter((text) => text !== undefined).join('\n\n'),
    security,
    request: {
      params: showExample(params, example.params),
      query: showExample(documentedQuery, example.query),
      ...(isRepeatable && { headers: keyHeaders }),
      ...(hasBody && {
        body: {
          required: !isBodyOptional,
          content: { 'application/json': { schema: body, example: example.body } },
        },
      }),
    },
    responses: buildResponses({
      isOpen,
      isRepeatable,
      data: definition.data,
      successStatus: successStatus(method, profile),
      refusals: [...definition.refusals, ...refusals],
      reasons: takesChain ? [...new Set<Reason>(['unsupported_chain', ...reasons])] : reasons,
    }),
  });
}

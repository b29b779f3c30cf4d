import { createRoute, type RouteConfig, z } from '@hono/zod-openapi';
import type { ClientProfile } from '../config/clientProfile.ts';
import { idempotencyHeader } from '../idempotency/idempotencyKey.ts';
import { buildResponses } from './documentation.ts';
import type { EndpointDefinition } from './endpointDefinition.ts';
import type { ErrorStatus } from './errorResponse.ts';
import { showExample } from './example.ts';
import { successStatus } from './successStatus.ts';

const keyHeaders = z.object({
  [idempotencyHeader]: z.string().optional().openapi({
    description:
      'Makes the request safe to send again: for 24 hours it is answered with what it was first answered with, unless that was a server error.',
    example: '8e03978e-40d5-43e6-bc93-6894a57f9324',
  }),
});

/** What every read takes. */
const readParameters = {
  consistency: z.string().optional().openapi({
    description:
      'The tokens that writes have answered with, with commas between them: the read waits until it shows what they have written, and answers with 503 where that takes too long.',
  }),
};

/** How clients of a profile find an endpoint documented. */
export function describeEndpoint(definition: EndpointDefinition, profile: ClientProfile): RouteConfig {
  const { method, path, operationId, params, query, body, example } = definition;
  const hasBody = !(body instanceof z.ZodUndefined);
  const isBodyOptional = body instanceof z.ZodOptional;
  const isRead = method === 'get';
  const documentedQuery = isRead ? query.extend(readParameters) : query;
  const refusals: ErrorStatus[] = isRead ? [503] : method === 'post' ? [409] : [];
  return createRoute({
    method,
    path,
    operationId,
    tags: [definition.tag],
    summary: definition.summary,
    description: describeUse(definition),
    security: [{ apiKey: [] }, { bearer: [] }],
    request: {
      params: showExample(params, example.params),
      query: showExample(documentedQuery, example.query),
      ...(method === 'post' && { headers: keyHeaders }),
      ...(hasBody && {
        body: {
          required: !isBodyOptional,
          content: { 'application/json': { schema: body, example: example.body } },
        },
      }),
    },
    responses: buildResponses({
      method,
      data: definition.data,
      successStatus: successStatus(method, profile),
      refusals: [...definition.refusals, ...refusals],
      reasons: definition.reasons ?? [],
    }),
  });
}

/** What a caller has to be entitled to, and what it may do with the route. */
function describeUse({ description, scope }: Pick<EndpointDefinition, 'description' | 'scope'>): string {
  const need = `Needs the scope \`${scope}\`.`;
  return description === undefined ? need : `${description}\n\n${need}`;
}

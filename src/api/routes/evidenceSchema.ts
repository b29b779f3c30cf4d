import { z } from '@hono/zod-openapi';
import { commonHeaders } from '../endpoint/responseHeaders.ts';
import type { PublicRoute } from '../http/createApp.ts';
import { writeEvidenceSchema } from '../shapes/evidenceShapes.ts';

export function evidenceSchemaRoute(): PublicRoute {
  let text: string | undefined;
  return {
    path: '/v0/evidence.schema.json',
    documentation: {
      operationId: 'getEvidenceSchema',
      tags: ['System'],
      summary: 'The JSON Schema of evidence files',
      responses: {
        200: {
          description: 'The schema.',
          headers: commonHeaders,
          content: { 'application/schema+json': { schema: z.record(z.string(), z.unknown()) } },
        },
      },
    },
    serve(context) {
      text ??= JSON.stringify(writeEvidenceSchema());
      const headers = { 'content-type': 'application/schema+json', 'x-request-id': context.get('requestId') };
      return new Response(text, { headers });
    },
  };
}

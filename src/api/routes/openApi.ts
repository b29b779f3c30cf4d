import { z } from '@hono/zod-openapi';
import { writeJson } from '../../platform/http/writeJson.ts';
import { commonHeaders } from '../endpoint/responseHeaders.ts';
import type { PublicRoute } from '../http/createApp.ts';
import type { ApiDocument } from '../openapi/describeApi.ts';

/** The OpenAPI 3.1 document of all routes, built from the schemas that check the requests. */
export function openApiRoute(readDocument: () => ApiDocument): PublicRoute {
  /** Encoded once: it is large, and anybody may ask for it. */
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  return {
    path: '/v0/openapi.json',
    documentation: {
      operationId: 'getOpenApi',
      tags: ['System'],
      summary: 'This document',
      responses: {
        200: {
          description: 'OpenAPI 3.1.',
          headers: commonHeaders,
          content: { 'application/json': { schema: z.looseObject({ openapi: z.string() }) } },
        },
      },
    },
    serve(context) {
      bytes ??= new TextEncoder().encode(JSON.stringify(readDocument()));
      return writeJson({ status: 200, requestId: context.get('requestId'), text: bytes });
    },
  };
}

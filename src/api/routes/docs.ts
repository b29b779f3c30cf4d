import { z } from '@hono/zod-openapi';
import { commonHeaders } from '../endpoint/responseHeaders.ts';
import type { PublicRoute } from '../http/createApp.ts';
import type { ApiDocument } from '../openapi/describeApi.ts';
import { buildReference, referencePolicy } from '../reference/buildReference.ts';

/** The OpenAPI document as a page for people. */
export function docsRoute(readDocument: () => ApiDocument): PublicRoute {
  /** Encoded once: it is large, and anybody may ask for it. */
  let html: Uint8Array<ArrayBuffer> | undefined;
  return {
    path: '/v0/docs',
    documentation: {
      operationId: 'getDocs',
      tags: ['System'],
      summary: 'This document as an HTML page',
      responses: {
        200: {
          description: 'A self-contained HTML page.',
          headers: commonHeaders,
          content: { 'text/html': { schema: z.string() } },
        },
      },
    },
    serve(context) {
      html ??= new TextEncoder().encode(buildReference(readDocument()));
      const headers = {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': referencePolicy,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'x-request-id': context.get('requestId'),
      };
      return new Response(html, { headers });
    },
  };
}

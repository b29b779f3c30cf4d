import { z } from '@hono/zod-openapi';
import { writeJson } from './writeJson.ts';

export const apiVersion = 'v0';

export const metaShape = z
  .object({ apiVersion: z.literal(apiVersion), requestId: z.string() })
  .openapi('Meta', { description: 'About the answer; the request id is also in the x-request-id header.' });

export const pageInfoShape = z
  .object({
    limit: z.int(),
    nextCursor: z.string().nullable().openapi({ description: 'Null on the last page.' }),
    totalCount: z.int().optional(),
  })
  .openapi('PageInfo');
export type PageInfo = z.output<typeof pageInfoShape>;

type Single = { requestId: string; dataText: string };
type Page = Single & { pageInfo: PageInfo };

/** A resource in its envelope. `dataText` is JSON already, as much of it comes out of the database that way. */
export function respondSingle({ requestId, dataText }: Single): Response {
  return writeJson({ status: 200, requestId, text: `{"data":${dataText},"meta":${buildMeta(requestId)}}` });
}

/** A page of a list in its envelope; `dataText` is a JSON array. */
export function respondPage({ requestId, dataText, pageInfo }: Page): Response {
  const page = JSON.stringify(pageInfo);
  const text = `{"data":${dataText},"pageInfo":${page},"meta":${buildMeta(requestId)}}`;
  return writeJson({ status: 200, requestId, text });
}

/** A request id is made of characters that JSON leaves as they are. */
function buildMeta(requestId: string): string {
  return `{"apiVersion":"${apiVersion}","requestId":"${requestId}"}`;
}

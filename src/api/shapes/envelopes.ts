import { z } from '@hono/zod-openapi';
import { writeJson } from '../../platform/http/writeJson.ts';
import { describeWarnings, type Warning, warningShape } from './warnings.ts';

export const apiVersion = 'v0';

export const metaShape = z
  .object({
    apiVersion: z.literal(apiVersion),
    requestId: z.string(),
    consistency: z.string().optional().openapi({
      description: 'After a write: a later read that is given this token shows what was written.',
    }),
    warnings: z
      .array(z.string())
      .optional()
      .openapi({ description: 'What was accepted and may surprise; absent where nothing is to be said.' }),
    warningDetails: z
      .array(warningShape)
      .optional()
      .openapi({ description: 'The same in parts; absent where nothing is to be said.' }),
  })
  .openapi('Meta', { description: 'About the answer; the request id is also in the x-request-id header.' });

export const pageInfoShape = z
  .object({
    limit: z.int(),
    nextCursor: z.string().nullable().openapi({ description: 'Null on the last page.' }),
    totalCount: z.int().nonnegative().optional().openapi({
      description:
        'How many there are that the request asks for. Present on a first page that holds all of them, which is where it is known for certain; absent on any other.',
    }),
  })
  .openapi('PageInfo');
export type PageInfo = z.output<typeof pageInfoShape>;

type Single = {
  requestId: string;
  dataText: string;
  consistency?: string;
  warnings?: readonly Warning[];
};
type Page = { requestId: string; dataText: string; pageInfo: PageInfo };

/**
 * A resource in its envelope. `dataText` is JSON already, because much of it comes from the database in that
 * form. Every write passes the token with which reads show it.
 */
export function respondSingle({ requestId, dataText, consistency, warnings }: Single): Response {
  const meta = buildMeta(requestId, consistency, warnings);
  return writeJson({ status: 200, requestId, text: `{"data":${dataText},"meta":${meta}}` });
}

/** A page of a list in its envelope; `dataText` is a JSON array. */
export function respondPage({ requestId, dataText, pageInfo }: Page): Response {
  const page = JSON.stringify(pageInfo);
  const text = `{"data":${dataText},"pageInfo":${page},"meta":${buildMeta(requestId)}}`;
  return writeJson({ status: 200, requestId, text });
}

/** Characters of request ids and tokens need no escaping in JSON. */
function buildMeta(requestId: string, consistency?: string, warnings: readonly Warning[] = []): string {
  const token = consistency === undefined ? '' : `,"consistency":"${consistency}"`;
  const list = warnings.length === 0 ? '' : `,${JSON.stringify(describeWarnings(warnings)).slice(1, -1)}`;
  return `{"apiVersion":"${apiVersion}","requestId":"${requestId}"${token}${list}}`;
}

import { z } from '@hono/zod-openapi';
import { noteReadBytes } from '../../platform/http/readCost.ts';
import { writeJson } from '../../platform/http/writeJson.ts';
import { describeWarnings, type Warning, warningShape } from './warnings.ts';

export const apiVersion = 'v0';

export const metaShape = z
  .object({
    apiVersion: z.literal(apiVersion),
    requestId: z.string(),
    consistency: z.string().optional().openapi({
      description: 'Present after a write. Pass it as `consistency` to a read that must include the write.',
    }),
    warnings: z
      .array(z.string())
      .optional()
      .openapi({ description: 'Accepted values that may be mistakes. Absent if there are none.' }),
    warningDetails: z
      .array(warningShape)
      .optional()
      .openapi({ description: 'The warnings as objects. Absent if there are none.' }),
  })
  .openapi('Meta', {
    description: 'Metadata of the response. The request id is also in the `x-request-id` header.',
  });

export const pageInfoShape = z
  .object({
    limit: z.int(),
    nextCursor: z.string().nullable().openapi({ description: 'Null on the last page.' }),
    totalCount: z.int().nonnegative().optional().openapi({
      description: 'The total number of matching items. Present only if the first page holds all of them.',
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
export function respondSingle(answer: Single): Response {
  return writeJson({ status: 200, requestId: answer.requestId, text: writeSingle(answer) });
}

/**
 * A resource that may be large, in its envelope.
 *
 * @param answer.readBytes the bytes that were read for it, if they may be more than it has.
 */
export function respondLarge({ readBytes = 0, ...answer }: Single & { readBytes?: number }): Response {
  return noteReadBytes(measured(answer.requestId, writeSingle(answer)), readBytes);
}

/** A page of a list in its envelope; `dataText` is a JSON array. */
export function respondPage({ requestId, dataText, pageInfo }: Page): Response {
  const page = JSON.stringify(pageInfo);
  return measured(requestId, `{"data":${dataText},"pageInfo":${page},"meta":${buildMeta(requestId)}}`);
}

function writeSingle({ requestId, dataText, consistency, warnings }: Single): string {
  return `{"data":${dataText},"meta":${buildMeta(requestId, consistency, warnings)}}`;
}

/** Notes the length of the answer, by which `PageTurns` knows large answers. */
function measured(requestId: string, text: string): Response {
  const headers = { 'content-length': String(Buffer.byteLength(text)) };
  return writeJson({ status: 200, requestId, text, headers });
}

/** Characters of request ids and tokens need no escaping in JSON. */
function buildMeta(requestId: string, consistency?: string, warnings: readonly Warning[] = []): string {
  const token = consistency === undefined ? '' : `,"consistency":"${consistency}"`;
  const list = warnings.length === 0 ? '' : `,${JSON.stringify(describeWarnings(warnings)).slice(1, -1)}`;
  return `{"apiVersion":"${apiVersion}","requestId":"${requestId}"${token}${list}}`;
}

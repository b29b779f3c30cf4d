import { z } from 'zod';
import { fetchChecked } from './apiContract.ts';

/** An answer of the service: status, headers, and the body if it is JSON. */
export type Answer = { status: number; headers: Headers; body: AnswerBody };

const bodyShape = z.looseObject({
  data: z.unknown().optional(),
  meta: z.looseObject({ apiVersion: z.string(), requestId: z.string() }).optional(),
  pageInfo: z.looseObject({ limit: z.number(), nextCursor: z.string().nullable() }).optional(),
  error: z
    .looseObject({
      code: z.string(),
      message: z.string(),
      requestId: z.string(),
      details: z
        .looseObject({
          reason: z.string().optional(),
          issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
        })
        .optional(),
    })
    .optional(),
});
export type AnswerBody = z.output<typeof bodyShape>;

export type CallOptions = { body?: unknown; text?: string; headers?: Record<string, string> };
export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

/** Calls the service, with a key if one is given. Throws if the answer does not match the document. */
export function createCall(baseUrl: string, key?: string): Call {
  return async (method, path, { body, text, headers = {} } = {}) => {
    const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
    const {
      status,
      headers: sentBack,
      text: received,
    } = await fetchChecked(baseUrl, path, {
      method,
      headers: {
        ...(key !== undefined && { 'x-api-key': key }),
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
    });
    const parsed = received === '' ? {} : bodyShape.parse(JSON.parse(received));
    return { status, headers: sentBack, body: parsed };
  };
}

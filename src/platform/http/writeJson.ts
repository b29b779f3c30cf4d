import { noteText } from './responseText.ts';

/** A JSON response with the headers of every response. */
export function writeJson({
  status,
  text,
  requestId,
  headers,
}: {
  status: number;
  /** As a string, or encoded already. */
  text: string | Uint8Array<ArrayBuffer>;
  requestId: string;
  headers?: Record<string, string> | undefined;
}): Response {
  const response = new Response(text, {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-request-id': requestId,
      ...headers,
    },
  });
  return typeof text === 'string' ? noteText(response, text) : response;
}

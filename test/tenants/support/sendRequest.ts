import type { WorstRequest } from './worstRequests.ts';

export type Answer = { status: number; bytes: number; text: string };

/** The text of a request's body; none where it has none. */
export function textOf({ body, text }: WorstRequest): string | undefined {
  return text ?? (body === undefined ? undefined : JSON.stringify(body));
}

/** Sends a request in the name of a principal, and reads all of its answer. */
export async function sendRequest(
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
  request: WorstRequest,
  body = textOf(request),
): Promise<Answer> {
  const { method, path, headers = {} } = request;
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      'x-api-key': apiKey,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return { status: response.status, bytes: Buffer.byteLength(text), text };
}

import type { WorstRequest } from './worstRequests.ts';

export type Answer = { status: number; bytes: number; text: string };

/** The text of a request's body; undefined if it has none. */
export function textOf({ body, text }: Pick<WorstRequest, 'body' | 'text'>): string | undefined {
  return text ?? (body === undefined ? undefined : JSON.stringify(body));
}

/**
 * Sends a request with a principal's key, or with the request's own credential, and reads the whole answer;
 * of a stream, the part that arrives in its time.
 */
export async function sendRequest(
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
  request: Pick<WorstRequest, 'method' | 'path' | 'headers' | 'credential' | 'forMs' | 'body' | 'text'>,
  body = textOf(request),
): Promise<Answer> {
  const { method, path, headers = {}, credential = 'apiKey', forMs } = request;
  const isOwn = credential === 'apiKey' || credential === 'bearer';
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(isOwn && { 'x-api-key': apiKey }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
  const { status } = response;
  if (forMs !== undefined && response.ok) return { status, ...(await readFor(response, forMs)) };
  const text = await response.text();
  return { status, bytes: Buffer.byteLength(text), text };
}

async function readFor({ body }: Response, ms: number): Promise<{ bytes: number; text: string }> {
  const reader = body?.getReader();
  if (!reader) return { bytes: 0, text: '' };
  const late = setTimeout(() => void reader.cancel(), ms);
  const chunks: Uint8Array[] = [];
  for (let part = await reader.read(); !part.done; part = await reader.read()) chunks.push(part.value);
  clearTimeout(late);
  const whole = Buffer.concat(chunks);
  return { bytes: whole.length, text: whole.toString() };
}

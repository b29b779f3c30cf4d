/** A JSON response with the headers of every response. */
export function writeJson({
  status,
  text,
  requestId,
  headers,
}: {
  status: number;
  text: string;
  requestId: string;
  headers?: Record<string, string> | undefined;
}): Response {
  return new Response(text, {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-request-id': requestId,
      ...headers,
    },
  });
}

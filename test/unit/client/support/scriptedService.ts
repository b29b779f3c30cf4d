import { AgreementsClient, type ClientOptions } from '../../../../client/src/index.ts';

type Reply = { status?: number; headers?: Record<string, string>; body: unknown };

export const ok = (data: unknown, meta: object = {}): Reply => ({
  body: { data, meta: { apiVersion: '0', requestId: 'req_1', ...meta } },
});

export const refusal = (
  status: number,
  code: string,
  { details = {}, retryAfter }: { details?: object; retryAfter?: number } = {},
): Reply => ({
  status,
  ...(retryAfter !== undefined && { headers: { 'retry-after': String(retryAfter) } }),
  body: { error: { code, message: code, details, requestId: 'req_1' } },
});

/** A client whose requests get these replies, and the requests so far. `never` answers nothing until it is aborted. */
export function createScripted(
  reply: (request: { method: string; url: URL }, at: number) => Reply | 'never',
  options: Partial<ClientOptions> = {},
) {
  const requests: { method: string; url: URL; headers: Headers }[] = [];
  const answer: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    const request = { method: init?.method ?? 'GET', url: new URL(String(input)), headers };
    requests.push(request);
    const made = reply(request, requests.length - 1);
    if (made === 'never')
      return new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason), { once: true });
      });
    init?.signal?.throwIfAborted();
    const { status = 200, body } = made;
    return Response.json(body, { status, headers: made.headers ?? {} });
  };
  const client = new AgreementsClient({ baseUrl: 'http://127.0.0.1:9', fetch: answer, ...options });
  return { client, requests };
}

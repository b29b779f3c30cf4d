import { type Answer, type CallOptions, createCall } from '../../support/call.ts';

/** A browser: keeps its cookies, and sends them like a page of the service. */
export function createBrowser(baseUrl: string) {
  const jar = new Map<string, string>();
  const plain = createCall(baseUrl);
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  return {
    jar,
    cookie,
    async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
      const headers = {
        'x-agreements-session': '1',
        ...(jar.size > 0 && { cookie: cookie() }),
        ...options.headers,
      };
      const answer = await plain(method, path, { ...options, headers });
      for (const line of answer.headers.getSetCookie()) {
        const [pair = ''] = line.split(';', 1);
        const [name = '', value = ''] = pair.split('=', 2);
        if (/max-age=0(;|$)/i.test(line)) jar.delete(name);
        else jar.set(name, value);
      }
      return answer;
    },
  };
}
export type Browser = ReturnType<typeof createBrowser>;

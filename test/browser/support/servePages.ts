import { createServer } from 'node:http';
import { listenLocally } from '../../support/listenLocally.ts';

export type Served = { readonly html: string; readonly headers: Readonly<Record<string, string>> };

export type PageServer = Awaited<ReturnType<typeof servePages>>;

/** Serves one page at a time, each under a different path. */
export async function servePages() {
  let current: { path: string; page: Served } | undefined;
  let count = 0;
  const server = createServer((request, response) => {
    const page = request.url === current?.path ? current?.page : undefined;
    // The browser requests an icon by itself. The answer 204 keeps this from looking like a fault of the
    // page.
    const status = request.url === '/favicon.ico' ? 204 : 404;
    response.writeHead(page ? 200 : status, page?.headers).end(page?.html);
  });
  const { url, close } = await listenLocally(server);
  return {
    /** Serves this page from now on, and returns its URL. */
    serve(page: Served): string {
      current = { path: `/${++count}`, page };
      return `${url}${current.path}`;
    },
    close,
  };
}

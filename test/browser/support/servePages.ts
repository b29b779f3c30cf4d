import { createServer } from 'node:http';
import { listenLocally } from '../../support/listenLocally.ts';

export type Served = { readonly html: string; readonly headers: Readonly<Record<string, string>> };

export type PageServer = Awaited<ReturnType<typeof servePages>>;

/** Serves one page at a time, under a path that is another for each. */
export async function servePages() {
  let current: { path: string; page: Served } | undefined;
  let count = 0;
  const server = createServer((request, response) => {
    const page = request.url === current?.path ? current?.page : undefined;
    // The browser asks for an icon of its own accord; that it gets none must not look like a fault of a page.
    const status = request.url === '/favicon.ico' ? 204 : 404;
    response.writeHead(page ? 200 : status, page?.headers).end(page?.html);
  });
  const { url, close } = await listenLocally(server);
  return {
    /** The URL that answers with the page from now on. */
    serve(page: Served): string {
      current = { path: `/${++count}`, page };
      return `${url}${current.path}`;
    },
    close,
  };
}

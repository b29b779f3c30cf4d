import type { StaticRoute } from '../http/createApp.ts';
import { readConsoleFiles } from './consoleFiles.ts';
import { answerFile } from './consoleRoutes.ts';

const root = '/verify/';

/** The page makes no requests: the checked file stays on the reader's machine. */
const policy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src data:`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `require-trusted-types-for 'script'`,
  `frame-ancestors 'none'`,
].join('; ');

/** The public page that checks evidence files, and its own files. No route if it is not built. */
export function buildVerifyRoutes(): StaticRoute[] {
  const files = readConsoleFiles();
  const page = files.get('verify/index.html');
  if (!page) return [];
  const serve: StaticRoute['serve'] = (context) => {
    const { pathname } = new URL(context.req.url);
    const headers = new Headers({
      'content-security-policy': policy,
      'x-request-id': context.get('requestId'),
      'x-dns-prefetch-control': 'off',
      'cross-origin-opener-policy': 'same-origin',
    });
    const isPage = pathname === '/verify' || pathname === root;
    const file = isPage ? page : files.get(pathname.slice(1));
    return file ? answerFile(context, file, headers) : new Response('not found', { status: 404, headers });
  };
  return ['/verify', `${root}*`].map((path) => ({ path, serve }));
}

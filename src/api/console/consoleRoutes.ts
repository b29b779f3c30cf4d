import type { Context } from 'hono';
import { parseAccept } from 'hono/utils/accept';
import type { ChainConfiguration } from '../../platform/config/configuration.ts';
import type { ConsoleSettings } from '../../platform/config/consoleSettings.ts';
import type { Environment } from '../../protocol/chains.ts';
import type { AppEnv } from '../endpoint/appEnv.ts';
import type { StaticRoute } from '../http/createApp.ts';
import { isKnownTag } from '../http/isKnownTag.ts';
import { type ConsoleFile, readConsoleFiles } from './consoleFiles.ts';
import { buildConsolePolicy } from './consolePolicy.ts';

const root = '/console/';
const oneYearSeconds = 31_536_000;
const hashed = `public, max-age=${oneYearSeconds}, immutable`;

export type ConsoleFacts = {
  readonly settings: ConsoleSettings;
  readonly environment: Environment;
  readonly publicBaseUrl: string;
  readonly chains: readonly Pick<ChainConfiguration, 'chainId' | 'name' | 'factory' | 'confirmations'>[];
};

/**
 * The console: its files, its settings, and for every other path below `/console` its page, which reads the
 * path itself. No routes if it is switched off or not built.
 */
export function buildConsoleRoutes({
  settings,
  environment,
  publicBaseUrl,
  chains,
}: ConsoleFacts): StaticRoute[] {
  const files = settings.isServed ? readConsoleFiles() : new Map<string, ConsoleFile>();
  const page = files.get('index.html');
  if (!page) return [];
  const policy = buildConsolePolicy(settings.frameAncestors);
  const known = chains.map(({ chainId, name, factory, confirmations }) => ({
    chainId,
    name,
    factory,
    confirmations,
  }));
  const settingsText = JSON.stringify({ environment, publicBaseUrl, chains: known });

  const serve = (context: Context<AppEnv>): Response => {
    const path = new URL(context.req.url).pathname.slice(root.length);
    const headers = new Headers({
      'content-security-policy': policy,
      'x-request-id': context.get('requestId'),
      'x-dns-prefetch-control': 'off',
      'cross-origin-opener-policy': 'same-origin',
    });
    // The policy says who may frame the pages; this older header cannot list origins.
    if (settings.frameAncestors.length > 0) context.env?.outgoing?.removeHeader('x-frame-options');
    if (path === 'settings.json') {
      headers.set('content-type', 'application/json');
      headers.set('cache-control', 'no-cache');
      return new Response(settingsText, { headers });
    }
    const file = files.get(path);
    // An old page may ask for files of its build; it must not get a page instead.
    if (!file && path.startsWith('assets/')) return new Response('not found', { status: 404, headers });
    return answerFile(context, file ?? page, headers);
  };
  return ['/console', `${root}*`].map((path) => ({ path, serve }));
}

/** One of the files, compressed if the reader accepts that, and without a body if the reader has it. */
export function answerFile(context: Context<AppEnv>, file: ConsoleFile, headers: Headers): Response {
  const isZipped = acceptsGzip(context.req.header('accept-encoding'));
  // A strong tag names the bytes of one form.
  const etag = isZipped ? file.etag.replace(/"$/, '-gzip"') : file.etag;
  headers.set('etag', etag);
  headers.set('vary', 'accept-encoding');
  headers.set('cache-control', file.isHashed ? hashed : 'no-cache');
  if (isKnownTag(context.req.header('if-none-match'), etag))
    return new Response(null, { status: 304, headers });
  headers.set('content-type', file.contentType);
  if (isZipped) headers.set('content-encoding', 'gzip');
  return new Response(isZipped ? file.zipped : file.body, { headers });
}

function acceptsGzip(accepted = ''): boolean {
  const codings = parseAccept(accepted);
  const named = (name: string) => codings.find(({ type }) => type.toLowerCase() === name);
  return ((named('gzip') ?? named('*'))?.q ?? 0) > 0;
}

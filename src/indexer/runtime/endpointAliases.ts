import { createHash } from 'node:crypto';
import type { ChainConfiguration } from '../../platform/config/configuration.ts';

/** Ponder waits this long for an answer to each of its requests. */
const ponderWaitsMs = 10_000;

/**
 * Providers put keys into the URLs of their endpoints, and Ponder and viem print the URL of every failed
 * request. So this gives the endpoints other names at the same hosts, and only `fetch` knows the real URLs.
 * Returns the chains with those names, and sets them in the environment, from which ponder.config.ts reads
 * them.
 */
export function hideEndpoints(
  chains: readonly ChainConfiguration[],
  env: NodeJS.ProcessEnv,
  { waitsMs = ponderWaitsMs } = {},
): ChainConfiguration[] {
  const urls = new Map<string, string>();
  const hide = (url: string): string => {
    const alias = buildAlias(url);
    urls.set(alias, url);
    return alias;
  };
  const hidden = chains.map((chain): ChainConfiguration => {
    const [first, ...others] = chain.rpcUrls;
    return { ...chain, rpcUrls: [hide(first), ...others.map(hide)] };
  });
  for (const { chainId, rpcUrls } of hidden) env[`RPC_URL_${chainId}`] = rpcUrls.join(',');

  const fetchUrl = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const real = urls.get(input instanceof Request ? input.url : String(input));
    if (real === undefined) return fetchUrl(input, init);
    const { url, authorization } = splitCredentials(real);
    const asked = input instanceof Request ? await readRequest(input, waitsMs) : {};
    const headers = new Headers(init?.headers ?? asked.headers);
    if (authorization !== undefined) headers.set('authorization', authorization);
    return fetchUrl(url, { ...asked, ...init, headers });
  };
  return hidden;
}

/** Once a Request is garbage, its signal is no longer aborted. Without another one the connection would stay for minutes. */
async function readRequest(request: Request, waitsMs: number): Promise<RequestInit> {
  const { method, headers } = request;
  const body = await request.text();
  return { method, headers, body, signal: AbortSignal.any([request.signal, AbortSignal.timeout(waitsMs)]) };
}

/** `fetch` refuses a URL with user and password: they are sent as a header. */
function splitCredentials(text: string): { url: string; authorization?: string } {
  const url = new URL(text);
  if (url.username === '' && url.password === '') return { url: text };
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  return { url: url.href, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

function buildAlias(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}/${createHash('sha256').update(url).digest('hex').slice(0, 8)}`;
}

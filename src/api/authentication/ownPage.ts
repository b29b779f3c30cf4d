import { AccessError } from '../../platform/errors/serviceError.ts';

/** What a page of the service sends with every request by cookie: no form and no image of another site can. */
export const sessionHeader = 'x-agreements-session';

/**
 * Lets a request by cookie on only where a page of the service itself has sent it. The cookie is not sent from other sites in the
 * first place; this holds where a browser does not keep to that, or another site shares the registrable domain.
 *
 * @throws AccessError `forbidden` without the header, or where the browser names another origin.
 */
export function requireOwnPage(headers: Headers, publicBaseUrl: string): void {
  if (headers.get(sessionHeader) !== '1')
    throw new AccessError('forbidden', 'A request by cookie needs the header X-Agreements-Session: 1.');
  refuseForeignPage(headers, publicBaseUrl);
}

/**
 * Refuses what a page of another origin sends; what no browser sends says nothing of an origin, and passes.
 *
 * @throws AccessError `forbidden`.
 */
export function refuseForeignPage(headers: Headers, publicBaseUrl: string): void {
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  const isOwn = origin === null || isOwnOrigin(origin, { headers, publicBaseUrl });
  if (isOwn && (site === null || site === 'same-origin')) return;
  throw new AccessError('forbidden', 'This has to come from a page of this service itself.');
}

/** By its public address, or by the one that the request was sent to. */
function isOwnOrigin(
  origin: string,
  { headers, publicBaseUrl }: { headers: Headers; publicBaseUrl: string },
): boolean {
  if (origin === new URL(publicBaseUrl).origin) return true;
  return URL.canParse(origin) && new URL(origin).host === headers.get('host');
}

import { AccessError } from '../../platform/errors/serviceError.ts';

/**
 * A header that the service's pages send with every request by cookie; forms and images of other sites cannot
 * send it.
 */
export const sessionHeader = 'x-agreements-session';

/**
 * Accepts a request by cookie only from a page of the service itself. Browsers do not send the cookie from
 * other sites anyway; this also holds if a browser ignores that, or another site shares the registrable
 * domain.
 *
 * @throws AccessError `forbidden` without the header, or if the browser names another origin.
 */
export function requireOwnPage(headers: Headers, publicBaseUrl: string): void {
  if (headers.get(sessionHeader) !== '1')
    throw new AccessError(
      'forbidden',
      'A request of a browser session must have the header X-Agreements-Session: 1.',
    );
  refuseForeignPage(headers, publicBaseUrl);
}

/**
 * Refuses requests from pages of other origins. Requests without an origin, which no browser page sends,
 * pass.
 *
 * @throws AccessError `forbidden`.
 */
export function refuseForeignPage(headers: Headers, publicBaseUrl: string): void {
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  const isOwn = origin === null || isOwnOrigin(origin, { headers, publicBaseUrl });
  if (isOwn && (site === null || site === 'same-origin')) return;
  throw new AccessError('forbidden', 'The request must come from a page served by this service.');
}

/** Matches the public address, or the address that the request was sent to. */
function isOwnOrigin(
  origin: string,
  { headers, publicBaseUrl }: { headers: Headers; publicBaseUrl: string },
): boolean {
  if (origin === new URL(publicBaseUrl).origin) return true;
  return URL.canParse(origin) && new URL(origin).host === headers.get('host');
}

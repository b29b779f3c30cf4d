const oneYearSeconds = 31_536_000;

/**
 * What every answer says to browsers unless it says otherwise itself: it is of the type that it names, loads and runs nothing,
 * stands in no frame, and tells nobody where its reader came from. Where the service is reached by HTTPS, it is by nothing else.
 */
export function buildSecurityHeaders({ publicBaseUrl }: { publicBaseUrl: string }): Map<string, string> {
  const headers = new Map([
    ['x-content-type-options', 'nosniff'],
    ['content-security-policy', `default-src 'none'; frame-ancestors 'none'`],
    ['x-frame-options', 'DENY'],
    ['referrer-policy', 'no-referrer'],
    ['cross-origin-resource-policy', 'same-origin'],
  ]);
  if (new URL(publicBaseUrl).protocol === 'https:')
    headers.set('strict-transport-security', `max-age=${oneYearSeconds}`);
  return headers;
}

const oneYearSeconds = 31_536_000;

/**
 * The default security headers of every answer: no type sniffing, no scripts or loading, no framing, no
 * referrer. If the service is reached by HTTPS, browsers must keep to HTTPS.
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

/**
 * The security policy of the console's pages: they may run and load files of this origin, call this origin,
 * and nothing else. No inline script or style, no text becomes markup or code, and no form sends itself. Frames only for the
 * operator's named origins.
 */
export function buildConsolePolicy(frameAncestors: readonly string[]): string {
  return [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'`,
    `img-src 'self' data:`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `require-trusted-types-for 'script'`,
    `frame-ancestors ${frameAncestors.length > 0 ? frameAncestors.join(' ') : `'none'`}`,
  ].join('; ');
}

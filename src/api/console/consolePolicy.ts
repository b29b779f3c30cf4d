/**
 * What the pages of the console may do: run and load what this origin serves, call this origin, and nothing else. No script or
 * style stands inside a page, and no text becomes markup or code. Frames are for whoever the operator names.
 */
export function buildConsolePolicy(frameAncestors: readonly string[]): string {
  return [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'`,
    `img-src 'self' data:`,
    `connect-src 'self'`,
    `require-trusted-types-for 'script'`,
    `frame-ancestors ${frameAncestors.length > 0 ? frameAncestors.join(' ') : `'none'`}`,
  ].join('; ');
}

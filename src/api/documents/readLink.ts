const protocols = ['http:', 'https:', 'mailto:'];

/**
 * The address of a link as a browser reads it, if following it can only show another page or write a mail:
 * absolute, HTTP or mailto, and without a user name, which mostly serves to imitate another host.
 */
export function readLink(href: string | undefined): string | undefined {
  const url = href === undefined ? null : URL.parse(href);
  if (!url || !protocols.includes(url.protocol) || url.username !== '' || url.password !== '')
    return undefined;
  return url.href;
}

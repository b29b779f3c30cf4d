const protocols = ['http:', 'https:', 'mailto:'];

/**
 * The address of a link as a browser reads it, if following it can do no more than show another page or write a mail: absolute,
 * by HTTP or to a mailbox, and without a user name, which is mostly there to make a host look like another.
 */
export function readLink(href: string | undefined): string | undefined {
  const url = href === undefined ? null : URL.parse(href);
  if (!url || !protocols.includes(url.protocol) || url.username !== '' || url.password !== '')
    return undefined;
  return url.href;
}

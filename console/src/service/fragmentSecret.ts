type Prefix = 'agp_' | 'agl_';

/**
 * Takes a link's secret out of the address, so that no history, screen or later page shows it.
 *
 * @returns undefined where the fragment holds no such secret.
 */
export function takeFragmentSecret(prefix: Prefix): string | undefined {
  const secret = location.hash.slice(1);
  if (!new RegExp(`^${prefix}[0-9a-f]{64}$`).test(secret)) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return secret;
}

/** A link that is pasted over the address of an open page changes its fragment alone: the page begins anew with it. */
export function beginAnewWithLinks(): void {
  addEventListener('hashchange', () => {
    if (/^#ag[pl]_/.test(location.hash)) location.reload();
  });
}

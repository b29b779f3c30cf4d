type Prefix = 'agp_' | 'agl_';

/**
 * Takes a link's secret out of the address, so that no history, screen or later page shows it.
 *
 * @returns undefined if the fragment holds no such secret.
 */
export function takeFragmentSecret(prefix: Prefix): string | undefined {
  const secret = location.hash.slice(1);
  if (!new RegExp(`^${prefix}[0-9a-f]{64}$`).test(secret)) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return secret;
}

/** Reloads the page for a link that is pasted over its address: such a link changes only the fragment. */
export function reloadForLinks(): void {
  addEventListener('hashchange', () => {
    if (/^#ag[pl]_/.test(location.hash)) location.reload();
  });
}

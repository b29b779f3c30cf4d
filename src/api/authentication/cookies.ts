/** The names and attributes of browsers' cookies: one for sessions by key, one for sessions by wallet. */
export type Cookies = {
  read(headers: Headers, kind: CookieKind): string | undefined;
  /** The Set-Cookie header that stores a token for this long. */
  write(kind: CookieKind, token: string, maxAgeSeconds: number): string;
  /** The Set-Cookie header that removes it. */
  clear(kind: CookieKind): string;
};
export type CookieKind = 'session' | 'wallet';

/** Browsers accept only these two names if the service is called from the same machine without TLS. */
const names = { session: 'agreements-session', wallet: 'agreements-wallet' } as const;
const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * No script can read them, no other site sends them, and no other host sets them: browsers accept a name with
 * `__Host-` only from its own host over TLS, which loopback does not have.
 */
export function createCookies(publicBaseUrl: string): Cookies {
  const { protocol, hostname } = new URL(publicBaseUrl);
  const isLocal = protocol === 'http:' && loopback.test(hostname);
  const nameOf = (kind: CookieKind) => (isLocal ? names[kind] : `__Host-${names[kind]}`);
  const attributes = `Path=/; HttpOnly;${isLocal ? '' : ' Secure;'} SameSite=Strict`;
  return {
    read(headers, kind) {
      const prefix = `${nameOf(kind)}=`;
      const parts = (headers.get('cookie') ?? '').split(';').map((part) => part.trim());
      return parts.find((part) => part.startsWith(prefix))?.slice(prefix.length);
    },
    write: (kind, token, maxAgeSeconds) =>
      `${nameOf(kind)}=${token}; Max-Age=${maxAgeSeconds}; ${attributes}`,
    clear: (kind) => `${nameOf(kind)}=; Max-Age=0; ${attributes}`,
  };
}

/** How the cookies of browsers are named and kept: one for whoever a key has let in, one for whoever has shown a wallet. */
export type Cookies = {
  read(headers: Headers, kind: CookieKind): string | undefined;
  /** The Set-Cookie header that keeps a token for so long. */
  write(kind: CookieKind, token: string, maxAgeSeconds: number): string;
  /** The Set-Cookie header that takes it away. */
  clear(kind: CookieKind): string;
};
export type CookieKind = 'session' | 'wallet';

/** Browsers keep no other name than these two where the service is called from the same machine without TLS. */
const names = { session: 'agreements-session', wallet: 'agreements-wallet' } as const;
const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * No script of a page can read them, no other site sends them, and no other host sets them: a name with `__Host-` is kept from
 * its own host alone and by TLS alone, which on loopback there is not.
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

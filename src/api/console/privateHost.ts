import { isIP } from 'node:net';

/** Top-level names that public DNS never has (RFC 6761, RFC 6762, ICANN's `internal`). */
const privateNames = new Set(['localhost', 'local', 'internal']);

/**
 * Whether the host that a request names is an address, or a name that public DNS cannot give to anybody, or one of `allowed`. A page
 * of any other name may be a stranger's who has had its name point to this machine (DNS rebinding): a browser would let it read
 * whatever is served here.
 *
 * @param header the `Host` header.
 */
export function isPrivateHost(header: string | undefined, allowed: readonly string[]): boolean {
  const url = URL.parse(`http://${header ?? ''}`);
  if (!url || url.host === '') return false;
  const name = url.hostname.replace(/\.$/, '');
  if (isIP(name.replace(/^\[|\]$/g, '')) > 0) return true;
  const [top = '', ...rest] = name.split('.').toReversed();
  return rest.length === 0 || privateNames.has(top) || allowed.includes(name);
}

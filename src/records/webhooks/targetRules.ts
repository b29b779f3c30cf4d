import { isIP } from 'node:net';
import { isPublicAddress, isWithin, rangesOf } from './addressRanges.ts';
import { type ResolveHost, resolveLocalHost, resolvePublicHost } from './resolveHost.ts';

type DialledUrl = Pick<URL, 'protocol' | 'hostname' | 'port'>;

export type TargetRules = {
  /** Why a URL is refused whatever its host resolves to; undefined if it is allowed. */
  findUrlProblem(url: URL): string | undefined;
  /**
   * The addresses of the URL's host, all of which may be connected to. @throws TargetRefusedError, or any
   * error of resolving.
   */
  resolve(url: DialledUrl): Promise<readonly string[]>;
  /** Whether this URL may connect to an address, however it was found. */
  mayDial(url: DialledUrl, address: string): boolean;
};

/** The rules forbid the target, and nothing was sent; the message tells its owner why. */
export class TargetRefusedError extends Error {
  override readonly name = 'TargetRefusedError';
}

/** Names that are never public hosts, from the registry of special-use names. */
const localNames = ['localhost', 'local', 'internal', 'home.arpa', 'onion'];
export const notPublic = 'must have a host with public addresses only';
const httpsPort = 443;
/** Lower ports are for system services. */
const firstFreePort = 1_024;

/**
 * Every URL must be https, without credentials, on port 443 or one from 1024. Every address of its host must
 * be public; one other address refuses all. Targets in `allowed` only need to be without credentials: host
 * names, addresses, and ranges in CIDR notation.
 */
export function createTargetRules(options: {
  allowed: readonly string[];
  /** How names are resolved. Default: by the name servers, and for allowed names as the machine does. */
  resolveHost?: ResolveHost;
}): TargetRules {
  const allowedRanges = rangesOf(options.allowed.filter(isRange));
  const allowedNames = new Set(options.allowed.filter((target) => !isRange(target)).map(normalizeName));

  const isAllowedName = (hostname: string) => allowedNames.has(normalizeName(hostname));
  const mayDial: TargetRules['mayDial'] = (url, address) =>
    isAllowedName(url.hostname) ||
    isWithin(allowedRanges, address) ||
    (findPublicProblem(url) === undefined && isPublicAddress(address));

  return {
    mayDial,
    findUrlProblem(url) {
      if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an http or https URL';
      if (url.username !== '' || url.password !== '') return 'must not contain credentials';
      if (isAllowedName(url.hostname)) return undefined;
      const address = addressIn(url.hostname);
      if (address) return mayDial(url, address) ? undefined : (findPublicProblem(url) ?? notPublic);
      // The name may resolve to one of the allowed addresses.
      return options.allowed.some(isRange) ? undefined : findPublicProblem(url);
    },
    async resolve(url) {
      const { hostname } = url;
      const address = addressIn(hostname);
      const resolveHost =
        options.resolveHost ??
        (isAllowedName(hostname) || isLocalName(hostname) ? resolveLocalHost : resolvePublicHost);
      const addresses = address ? [address] : await resolveHost(hostname);
      if (addresses.length === 0) throw new Error(`${hostname} does not resolve to an address`);
      if (!addresses.every((found) => mayDial(url, found)))
        throw new TargetRefusedError(findPublicProblem(url) ?? notPublic);
      return addresses;
    },
  };
}

/** Why this URL cannot reach a public host. */
function findPublicProblem({ protocol, hostname, port }: DialledUrl): string | undefined {
  if (protocol !== 'https:') return 'must be an https URL';
  if (port !== '' && Number(port) !== httpsPort && Number(port) < firstFreePort)
    return `must have port ${httpsPort} or one from ${firstFreePort}`;
  return isLocalName(hostname) ? notPublic : undefined;
}

/** The address in a URL's host, without the brackets of IPv6; undefined for a name. */
export function addressIn(hostname: string): string | undefined {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 ? undefined : address;
}

function isRange(target: string): boolean {
  return isIP(target.split('/')[0] ?? '') !== 0;
}

function isLocalName(hostname: string): boolean {
  const name = normalizeName(hostname);
  return localNames.some((local) => name === local || name.endsWith(`.${local}`));
}

function normalizeName(hostname: string): string {
  return hostname.toLowerCase().replace(/\.+$/, '');
}

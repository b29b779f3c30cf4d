import { isIP } from 'node:net';
import { isPublicAddress, isWithin, rangesOf } from './addressRanges.ts';
import { type ResolveHost, resolveLocalHost, resolvePublicHost } from './resolveHost.ts';

type DialledUrl = Pick<URL, 'protocol' | 'hostname' | 'port'>;

/** Which targets may be called. */
export type TargetRules = {
  /** Why a URL is refused whatever its host resolves to; undefined where it is not. */
  findUrlProblem(url: URL): string | undefined;
  /** The addresses of the URL's host, all of which may be dialled. @throws TargetRefusedError, or whatever resolving throws. */
  resolve(url: DialledUrl): Promise<readonly string[]>;
  /** Whether an address may be dialled for this URL, however it was found. */
  mayDial(url: DialledUrl, address: string): boolean;
};

/** The rules forbid it, and nothing was sent; the message says why as its owner can be told. */
export class TargetRefusedError extends Error {
  override readonly name = 'TargetRefusedError';
}

/** Names that are never public hosts, by the registry of special-use names. */
const localNames = ['localhost', 'local', 'internal', 'home.arpa', 'onion'];
const notPublic = 'expected a host of which every address is public';
const httpsPort = 443;
/** Below it are the services of machines themselves. */
const firstFreePort = 1_024;

/**
 * Every URL has to be https, without credentials, on port 443 or one from 1024, and every address of its host a public one: one
 * that is not refuses the rest. What `allowed` names is free of all this but of the credentials: host names, addresses, and ranges
 * of them in CIDR notation.
 */
export function createTargetRules(options: {
  allowed: readonly string[];
  /** How names are resolved; the name servers', and the machine's own way for allowed names, unless given. */
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
      if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'expected an http or https URL';
      if (url.username !== '' || url.password !== '') return 'expected a URL without credentials';
      if (isAllowedName(url.hostname)) return undefined;
      const address = addressIn(url.hostname);
      if (address) return mayDial(url, address) ? undefined : (findPublicProblem(url) ?? notPublic);
      // A name may yet turn out to be one of the allowed addresses.
      return options.allowed.some(isRange) ? undefined : findPublicProblem(url);
    },
    async resolve(url) {
      const { hostname } = url;
      const address = addressIn(hostname);
      const resolveHost =
        options.resolveHost ??
        (isAllowedName(hostname) || isLocalName(hostname) ? resolveLocalHost : resolvePublicHost);
      const addresses = address ? [address] : await resolveHost(hostname);
      if (addresses.length === 0) throw new Error(`${hostname} has no address`);
      if (!addresses.every((found) => mayDial(url, found)))
        throw new TargetRefusedError(findPublicProblem(url) ?? notPublic);
      return addresses;
    },
  };
}

/** Why no public host may be called by this URL. */
function findPublicProblem({ protocol, hostname, port }: DialledUrl): string | undefined {
  if (protocol !== 'https:') return 'expected an https URL';
  if (port !== '' && Number(port) !== httpsPort && Number(port) < firstFreePort)
    return `expected port ${httpsPort} or one from ${firstFreePort}`;
  return isLocalName(hostname) ? notPublic : undefined;
}

/** The address that a URL's host is, without the brackets of IPv6; undefined for a name. */
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

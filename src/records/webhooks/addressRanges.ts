import { BlockList, isIP } from 'node:net';

/**
 * The part of IPv4 without public hosts: the registry of special-purpose addresses, including its reachable
 * ones (anycast addresses of no particular host), multicast, and reserved ranges.
 */
const special4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Public by number, but in one large cloud this host knows each machine's secrets.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/**
 * The range assigned to public hosts. Everything else is refused: mapped, translated, local, multicast,
 * unassigned.
 */
const global6 = '2000::/3';

/**
 * Exceptions within it: protocol assignments with Teredo, documentation, 6to4 (each contains an IPv4 address
 * or belongs to no host), AS112.
 */
const special6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

const refused4 = rangesOf(special4);
const refused6 = rangesOf(special6);
const assigned6 = rangesOf([global6]);

/** Whether an address may be a public host. Text that is not an address in its usual form is not. */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false;
  const family = isIP(address);
  if (family === 4) return !refused4.check(address, 'ipv4');
  return family === 6 && assigned6.check(address, 'ipv6') && !refused6.check(address, 'ipv6');
}

/** @throws Error for anything but an address or a range in CIDR notation. */
export function rangesOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else if (/^\d{1,3}$/.test(prefix)) list.addSubnet(address, Number(prefix), family);
    else throw new Error(`${range} is not an address range`);
  }
  return list;
}

/** Whether an address is in one of the ranges; an address with a zone is in none. */
export function isWithin(ranges: BlockList, address: string): boolean {
  const family = address.includes('%') ? 0 : isIP(address);
  return family !== 0 && ranges.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

import { BlockList, isIP, isIPv4 } from 'node:net';
import type { Context } from 'hono';
import type { AppEnv } from './appEnv.ts';

/**
 * Clients at these addresses are on the same machine or network: usually a proxy that forwards others'
 * requests.
 */
const nearby = new BlockList();
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const)
  nearby.addSubnet(network, prefix, 'ipv4');
nearby.addAddress('::1', 'ipv6');
nearby.addSubnet('fc00::', 7, 'ipv6');
nearby.addSubnet('fe80::', 10, 'ipv6');

/**
 * Identifies the client of a request: by its IPv4 address, or by the /64 network of its IPv6 address, which
 * belongs to one client. With the configured number of proxies in front, it is the address that the outermost
 * proxy has seen; otherwise the connection's peer. Undefined if unknown, as behind a proxy that is not
 * configured: otherwise all clients behind it would count as one.
 */
export function findClient(context: Context<AppEnv>, trustedProxies: number): string | undefined {
  const peer = plainAddress(context.env?.incoming?.socket.remoteAddress);
  if (trustedProxies === 0) {
    if (peer === undefined || nearby.check(peer, isIPv4(peer) ? 'ipv4' : 'ipv6')) return undefined;
    return networkOf(peer);
  }
  const forwarded = context.req.raw.headers.get('x-forwarded-for')?.split(',') ?? [];
  const client = plainAddress(forwarded.at(-trustedProxies)?.trim());
  return client && networkOf(client);
}

/** Without the interface name, and as IPv4 if it is IPv4 in IPv6 form. */
function plainAddress(text: string | undefined): string | undefined {
  const address = text?.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
  return address !== undefined && isIP(address) !== 0 ? address : undefined;
}

function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const ending = tail ? tail.split(':') : [];
  const missing = tail === undefined ? 0 : 8 - groups.length - ending.length;
  const all = [...groups, ...new Array<string>(Math.max(0, missing)).fill('0'), ...ending];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

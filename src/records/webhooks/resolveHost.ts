import { lookup, Resolver } from 'node:dns/promises';

/** All addresses of a host name. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

const resolver = new Resolver({ timeout: 2_000, tries: 2 });

/**
 * Addresses from the name servers. Does not use the process's threads, which a few unanswered names would all
 * occupy, or the hosts file, which names nothing public.
 *
 * @throws Error if the name has no address.
 */
export const resolvePublicHost: ResolveHost = async (hostname) => {
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const failure = answers.find((answer) => answer.status === 'rejected');
  if (addresses.length === 0)
    throw failure?.reason ?? new Error(`${hostname} does not resolve to an address`);
  return addresses;
};

/** Addresses as the machine resolves them; operators who allow a name mean these. */
export const resolveLocalHost: ResolveHost = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

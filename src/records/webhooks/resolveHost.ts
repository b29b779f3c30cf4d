import { lookup, Resolver } from 'node:dns/promises';

/** All addresses of a host name. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

const resolver = new Resolver({ timeout: 2_000, tries: 2 });

/**
 * The addresses that the name servers know. Asked without the threads of the process, of which a few names that nobody answers for
 * would occupy all, and without the hosts file, which names nothing public.
 *
 * @throws Error if the name has no address.
 */
export const resolvePublicHost: ResolveHost = async (hostname) => {
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const failure = answers.find((answer) => answer.status === 'rejected');
  if (addresses.length === 0) throw failure?.reason ?? new Error(`${hostname} has no address`);
  return addresses;
};

/** The addresses as the machine sees them, which is what an operator means who allows a name. */
export const resolveLocalHost: ResolveHost = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

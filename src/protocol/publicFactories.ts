import type { Address } from 'viem';

const shared = '0x76dAA59C02d902e7063E6328D2E64ACee6CC121e';

/** The protocol's factory on each supported chain, by chain id. */
export const publicFactories = {
  59141: '0x26Ff3AdEC23fC5778f190371B1CcCadDa74e26c8',
  11155111: shared,
  84532: shared,
  59144: '0xB772Ea12546fd7153Bf1F5ED7266B8faB0dAD6C9',
  8453: shared,
} as const satisfies Readonly<Record<number, Address>>;

/** The protocol's factory on a chain, if it is deployed there. */
export function findPublicFactory(chainId: number): Address | undefined {
  const factories: Readonly<Record<number, Address>> = publicFactories;
  return factories[chainId];
}

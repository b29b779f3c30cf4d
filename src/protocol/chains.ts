import type { Address } from 'viem';
import { publicFactories } from './publicFactories.ts';

export type Environment = 'testnet' | 'production';

/** A chain on which the protocol's factory is deployed. */
export type Chain = {
  readonly chainId: number;
  readonly name: string;
  readonly environment: Environment;
  readonly factory: Address;
  /** The engine: every agreement of that factory is a minimal proxy of it. */
  readonly implementation: Address;
};

const sharedImplementation = '0x1c2961AC5e2fBE47b3C0654d7dF543dB04F031A6';

/** The protocol registry: every supported chain, testnets first. */
export const chains: readonly Chain[] = [
  {
    chainId: 59141,
    name: 'Linea Sepolia',
    environment: 'testnet',
    factory: publicFactories[59141],
    implementation: '0x1F0f9c889E6c762D8D5669c65a1A8fDFbEe38664',
  },
  {
    chainId: 11155111,
    name: 'Ethereum Sepolia',
    environment: 'testnet',
    factory: publicFactories[11155111],
    implementation: sharedImplementation,
  },
  {
    chainId: 84532,
    name: 'Base Sepolia',
    environment: 'testnet',
    factory: publicFactories[84532],
    implementation: sharedImplementation,
  },
  {
    chainId: 59144,
    name: 'Linea Mainnet',
    environment: 'production',
    factory: publicFactories[59144],
    implementation: '0x9263A3a927939Aa76bE7bFa1850A1ef50454e122',
  },
  {
    chainId: 8453,
    name: 'Base Mainnet',
    environment: 'production',
    factory: publicFactories[8453],
    implementation: sharedImplementation,
  },
];

/** The chain with that id, if the protocol is deployed there. */
export function findChain(chainId: number): Chain | undefined {
  return chains.find((chain) => chain.chainId === chainId);
}

/** The chains of one environment; any other chain is unsupported there. */
export function supportedChains(environment: Environment): readonly Chain[] {
  return chains.filter((chain) => chain.environment === environment);
}

import type { Address } from 'viem';

export type Environment = 'testnet' | 'production';

/** A chain on which the protocol's factory is deployed. */
export type Chain = {
  readonly chainId: number;
  readonly name: string;
  readonly environment: Environment;
  readonly factory: Address;
  /** The engine: every agreement of that factory is a minimal proxy of it. */
  readonly implementation: Address;
  /** A block that is certainly not after the factory's deployment: the default first block to index. */
  readonly startBlock: number;
  /** Blocks that must exist before an event is announced, counting its own block; 1 is its own block alone. */
  readonly confirmations: number;
  /**
   * Blocks after which Ponder considers a block final, from Ponder's own table: 65 on Ethereum and its
   * testnets, 30 for chains that the table does not name.
   */
  readonly finalityBlocks: number;
};

const sharedFactory = '0x76dAA59C02d902e7063E6328D2E64ACee6CC121e';
const sharedImplementation = '0x1c2961AC5e2fBE47b3C0654d7dF543dB04F031A6';

/** The factories outside Linea were deployed on 2026-05-26; this is one day earlier. */
const dayBeforeDeployment = Date.UTC(2026, 4, 25) / 1000;

/** The protocol registry: every supported chain, testnets first. */
export const chains: readonly Chain[] = [
  {
    chainId: 59141,
    name: 'Linea Sepolia',
    environment: 'testnet',
    factory: '0x26Ff3AdEC23fC5778f190371B1CcCadDa74e26c8',
    implementation: '0x1F0f9c889E6c762D8D5669c65a1A8fDFbEe38664',
    startBlock: 0,
    confirmations: 1,
    finalityBlocks: 30,
  },
  {
    chainId: 11155111,
    name: 'Ethereum Sepolia',
    environment: 'testnet',
    factory: sharedFactory,
    implementation: sharedImplementation,
    startBlock: 9_000_000,
    confirmations: 3,
    finalityBlocks: 65,
  },
  {
    chainId: 84532,
    name: 'Base Sepolia',
    environment: 'testnet',
    factory: sharedFactory,
    implementation: sharedImplementation,
    startBlock: baseBlockAt({ genesis: 1_695_768_288, timestamp: dayBeforeDeployment }),
    confirmations: 1,
    finalityBlocks: 30,
  },
  {
    chainId: 59144,
    name: 'Linea Mainnet',
    environment: 'production',
    factory: '0xB772Ea12546fd7153Bf1F5ED7266B8faB0dAD6C9',
    implementation: '0x9263A3a927939Aa76bE7bFa1850A1ef50454e122',
    startBlock: 0,
    confirmations: 1,
    finalityBlocks: 30,
  },
  {
    chainId: 8453,
    name: 'Base Mainnet',
    environment: 'production',
    factory: sharedFactory,
    implementation: sharedImplementation,
    startBlock: baseBlockAt({ genesis: 1_686_789_347, timestamp: dayBeforeDeployment }),
    confirmations: 1,
    finalityBlocks: 30,
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

/** The block at a time in Unix seconds, on a chain with one block every 2 seconds since its genesis. */
function baseBlockAt({ genesis, timestamp }: { genesis: number; timestamp: number }): number {
  return Math.floor((timestamp - genesis) / 2);
}

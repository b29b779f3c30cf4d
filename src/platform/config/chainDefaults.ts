/** How a supported chain is followed if no setting says otherwise. */
export type ChainDefaults = {
  /** A block that is certainly not after the factory's deployment: the first block to index. */
  readonly startBlock: number;
  /** Blocks that must exist before an event is announced, counting its own block; 1 is its own block alone. */
  readonly confirmations: number;
  /**
   * Blocks after which Ponder considers a block final, from Ponder's own table: 65 on Ethereum and its
   * testnets, 30 for chains that the table does not name.
   */
  readonly finalityBlocks: number;
};

/** The factories outside Linea were deployed on 2026-05-26; this is one day earlier. */
const dayBeforeDeployment = Date.UTC(2026, 4, 25) / 1000;

const defaults: ReadonlyMap<number, ChainDefaults> = new Map([
  [59141, { startBlock: 0, confirmations: 1, finalityBlocks: 30 }],
  [11155111, { startBlock: 9_000_000, confirmations: 3, finalityBlocks: 65 }],
  [
    84532,
    { startBlock: baseBlockAt(dayBeforeDeployment, 1_695_768_288), confirmations: 1, finalityBlocks: 30 },
  ],
  [59144, { startBlock: 0, confirmations: 1, finalityBlocks: 30 }],
  [
    8453,
    { startBlock: baseBlockAt(dayBeforeDeployment, 1_686_789_347), confirmations: 1, finalityBlocks: 30 },
  ],
]);

/** Every chain of the protocol registry has defaults. */
export function findChainDefaults(chainId: number): ChainDefaults | undefined {
  return defaults.get(chainId);
}

/**
 * How many blocks back a reorg can reach without a restart of the indexer: its final block is one to two of its windows
 * behind the head.
 */
export function reorgWindowOf(chainId: number): number {
  const found = findChainDefaults(chainId);
  if (!found) throw new Error(`the chain ${chainId} is not in the registry`);
  return 2 * found.finalityBlocks;
}

/** The block at a time in Unix seconds, on a chain with one block every 2 seconds since its genesis. */
function baseBlockAt(timestamp: number, genesis: number): number {
  return Math.floor((timestamp - genesis) / 2);
}

import type { Address, PublicClient } from 'viem';
import type { DataFee } from '../../platform/nodes/dataFee.ts';
import type { Market } from './fees.ts';

export type WalletView = {
  /** How many transactions the newest block and all before it hold of the wallet: the first nonce that is free there. */
  readonly minedCount: number;
  /** The same with what the node has ready for the next block. */
  readonly pendingCount: number;
  readonly balance: bigint;
};

/** What a node said of its chain at one moment. */
export type ChainView = Market & {
  readonly blockNumber: bigint;
  /** Unix seconds. */
  readonly timestamp: bigint;
  /** What transactions cost beside their gas. */
  readonly dataFee: DataFee;
  /** By the clock of this process, in milliseconds: when it was read, and when the newest block was first seen to be that. */
  readonly readAt: number;
  readonly seenAt: number;
  readonly wallets: ReadonlyMap<Address, WalletView>;
};

/** Asks for everything in one request. Rejects where no endpoint answers, or not to all of it. */
export async function readChainView(
  client: PublicClient,
  {
    addresses,
    readDataFee,
    previous,
  }: {
    addresses: readonly Address[];
    readDataFee: () => Promise<DataFee>;
    previous: ChainView | undefined;
  },
): Promise<ChainView> {
  const [block, tip, wallets, dataFee] = await Promise.all([
    client.getBlock({ blockTag: 'latest' }),
    client.estimateMaxPriorityFeePerGas(),
    Promise.all(addresses.map((address) => readWallet(client, address))),
    readDataFee(),
  ]);
  const readAt = performance.now();
  return {
    blockNumber: block.number,
    timestamp: block.timestamp,
    baseFeePerGas: block.baseFeePerGas ?? 0n,
    tip,
    dataFee,
    readAt,
    seenAt: previous?.blockNumber === block.number ? previous.seenAt : readAt,
    wallets: new Map(wallets),
  };
}

async function readWallet(client: PublicClient, address: Address): Promise<[Address, WalletView]> {
  const [minedCount, pendingCount, balance] = await Promise.all([
    client.getTransactionCount({ address, blockTag: 'latest' }),
    client.getTransactionCount({ address, blockTag: 'pending' }),
    client.getBalance({ address }),
  ]);
  return [address, { minedCount, pendingCount, balance }];
}

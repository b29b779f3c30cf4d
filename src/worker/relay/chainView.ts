import type { Address, PublicClient } from 'viem';
import type { DataFee } from '../../platform/nodes/dataFee.ts';
import type { Market } from './fees.ts';

export type WalletView = {
  /** The wallet's transactions up to the newest block: its first free nonce. */
  readonly minedCount: number;
  /** Including the node's pending block. */
  readonly pendingCount: number;
  readonly balance: bigint;
};

/** A node's view of its chain at one moment. */
export type ChainView = Market & {
  readonly blockNumber: bigint;
  /** Unix seconds. */
  readonly timestamp: bigint;
  /** The cost of transactions in addition to gas. */
  readonly dataFee: DataFee;
  /** By this process's clock, in milliseconds: when it was read, and when its newest block was first seen. */
  readonly readAt: number;
  readonly seenAt: number;
  readonly wallets: ReadonlyMap<Address, WalletView>;
};

/** Reads everything in one request. Rejects if no endpoint gives a complete answer. */
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

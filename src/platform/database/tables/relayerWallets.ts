import { bigint, integer, primaryKey, text } from 'drizzle-orm/pg-core';
import { address, instant, uint256 } from '../columns.ts';
import { oneOf } from '../oneOf.ts';
import { serviceSchema } from '../schema.ts';

export const walletStatuses = ['active', 'unfunded', 'retired'] as const;

/** One wallet on one chain. Only the process named in the lease may sign with the wallet until the lease ends. */
export const relayerWallets = serviceSchema.table(
  'relayer_wallets',
  {
    chainId: integer().notNull(),
    address: address().notNull(),
    status: text({ enum: walletStatuses }).notNull(),
    balance: uint256().notNull(),
    /** The most simulated gas for which this wallet can pay now; null while unknown, or while its signer rests after a failure. */
    payableGas: bigint({ mode: 'bigint' }),
    /** The nonce for the next signed row. It is reconciled with the chain and may go down. */
    nextNonce: bigint({ mode: 'number' }).notNull(),
    leaseOwner: text(),
    leaseUntil: instant(),
    updatedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.address] }),
    oneOf('relayer_wallets', 'status', walletStatuses),
  ],
);

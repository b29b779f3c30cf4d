import { bigint, integer, primaryKey, text } from 'drizzle-orm/pg-core';
import { address, instant, uint256 } from '../columns.ts';
import { oneOf } from '../oneOf.ts';
import { serviceSchema } from '../schema.ts';

export const walletStatuses = ['active', 'unfunded', 'retired'] as const;

/** One wallet on one chain. Its owner, named in the lease, is the only process that may sign with it until the lease ends. */
export const relayerWallets = serviceSchema.table(
  'relayer_wallets',
  {
    chainId: integer().notNull(),
    address: address().notNull(),
    status: text({ enum: walletStatuses }).notNull(),
    balance: uint256().notNull(),
    /** The most gas that the simulation of a transaction may use for this wallet to pay it now; null while nobody has said so. */
    payableGas: bigint({ mode: 'bigint' }),
    /** The nonce that the next signed row gets; reconciled with the chain and free to go down. */
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

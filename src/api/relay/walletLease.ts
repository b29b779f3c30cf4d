import { and, eq, notInArray, sql } from 'drizzle-orm';
import type { Address } from 'viem';
import type { Queryable } from '../database/database.ts';
import { relayerWallets } from '../database/tables/relayerWallets.ts';

/** One wallet of one chain, in the hands of one process. */
export type LeaseOwner = { chainId: number; address: Address; owner: string };

/** A lease outlives its last renewal by this; a holder that died is replaced no sooner. */
const leaseSeconds = 10;

/** A condition under which the row of a wallet may be written: the lease is this owner's, by the database's clock. */
export function isLeased({ chainId, address, owner }: LeaseOwner) {
  return and(
    eq(relayerWallets.chainId, chainId),
    eq(relayerWallets.address, address),
    eq(relayerWallets.leaseOwner, owner),
    sql`${relayerWallets.leaseUntil} > clock_timestamp()`,
  );
}

/** Takes or keeps the lease; `isNew` says that the wallet was another's, or nobody's, before. Undefined: it is another's now. */
export async function renewLease(
  database: Queryable,
  { chainId, address, owner }: LeaseOwner,
): Promise<{ isNew: boolean } | undefined> {
  const leaseUntil = sql`clock_timestamp() + make_interval(secs => ${leaseSeconds})`;
  const [kept] = await database
    .update(relayerWallets)
    .set({ leaseUntil })
    .where(isLeased({ chainId, address, owner }))
    .returning({ address: relayerWallets.address });
  if (kept) return { isNew: false };
  const [taken] = await database
    .insert(relayerWallets)
    .values({
      chainId,
      address,
      status: 'unfunded',
      balance: 0n,
      nextNonce: 0,
      leaseOwner: owner,
      leaseUntil,
    })
    .onConflictDoUpdate({
      target: [relayerWallets.chainId, relayerWallets.address],
      set: { leaseOwner: owner, leaseUntil },
      setWhere: sql`${relayerWallets.leaseUntil} is null or ${relayerWallets.leaseUntil} <= clock_timestamp()`,
    })
    .returning({ address: relayerWallets.address });
  return taken && { isNew: true };
}

/** Lets go of a wallet at once, so that another process need not wait for the lease to end. */
export async function releaseLease(database: Queryable, lease: LeaseOwner): Promise<void> {
  await database.update(relayerWallets).set({ leaseOwner: null, leaseUntil: null }).where(isLeased(lease));
}

/** Marks the wallets that no key stands for any more, so that nothing is expected of them. */
export async function retireWallets(
  database: Queryable,
  { chainId, addresses }: { chainId: number; addresses: readonly Address[] },
): Promise<void> {
  await database
    .update(relayerWallets)
    .set({ status: 'retired', updatedAt: sql`now()` })
    .where(
      and(
        eq(relayerWallets.chainId, chainId),
        notInArray(relayerWallets.address, [...addresses]),
        sql`(${relayerWallets.leaseUntil} is null or ${relayerWallets.leaseUntil} <= clock_timestamp())`,
      ),
    );
}

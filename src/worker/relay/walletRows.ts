import type pg from 'pg';
import type { Address } from 'viem';
import { channels } from '../../platform/database/channels.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import type { relayerWallets } from '../../platform/database/tables/relayerWallets.ts';
import { stateLists } from '../../platform/database/tables/transactions.ts';
import type { WalletView } from './chainView.ts';

/** The owner of a wallet's lease, and the length of one renewal. */
export type LeaseHolder = { readonly chainId: number; readonly owner: string; readonly leaseMs: number };
export type Lease = { address: Address; nextNonce: number; isNew: boolean };

/** Creates a row for each wallet without one. */
export async function insertWallets(
  pool: pg.Pool,
  chainId: number,
  views: ReadonlyMap<Address, WalletView>,
): Promise<void> {
  const wallets = [...views];
  await pool.query(
    `insert into service.relayer_wallets as wallet (chain_id, address, status, balance, next_nonce)
     select $1, address, 'unfunded', balance, next_nonce
     from unnest($2::text[], $3::numeric[], $4::bigint[]) as wallet(address, balance, next_nonce)
     order by address
     on conflict (chain_id, address) do nothing`,
    [
      chainId,
      wallets.map(([address]) => address),
      wallets.map(([, { balance }]) => String(balance)),
      wallets.map(([, { minedCount, pendingCount }]) => Math.max(minedCount, pendingCount)),
    ],
  );
}

/**
 * Puts retired wallets of this process back into service. One whose lease was lost for a moment may have been
 * retired by a process without its key, which then holds it until it sees that.
 */
export async function reinstateWallets(
  pool: pg.Pool,
  { chainId, configured }: { chainId: number; configured: readonly Address[] },
): Promise<void> {
  await pool.query(
    `update service.relayer_wallets set status = 'unfunded', updated_at = now()
     where chain_id = $1 and address = any($2) and status = 'retired'`,
    [chainId, configured],
  );
}

type LeasedRow = RowOf<typeof relayerWallets, 'address' | 'next_nonce'> & { is_new: boolean };

/**
 * Takes every wallet with an expired lease, or with one so long that it is from before the database's clock was set back.
 * Renews this owner's, until `leaseMs` from now by the database's clock. Wallets missing from the result belong to others.
 */
export async function renewLeases(
  pool: pg.Pool,
  addresses: readonly Address[],
  { chainId, owner, leaseMs }: LeaseHolder,
): Promise<Lease[]> {
  const { rows } = await pool.query<LeasedRow>(
    // Locked in one order, so that two processes that take wallets at once do not deadlock.
    `with free as (
       select address, lease_owner from service.relayer_wallets
       where chain_id = $1 and address = any($2) and (lease_owner = $3 or lease_owner is null or lease_until < now()
         or lease_until > now() + greatest(interval '10 minutes', 10 * $4 * interval '1 millisecond'))
       order by address for update)
     update service.relayer_wallets wallet
     set lease_owner = $3, lease_until = now() + $4 * interval '1 millisecond', updated_at = now()
     from free where wallet.chain_id = $1 and wallet.address = free.address
     returning wallet.address, wallet.next_nonce, free.lease_owner is distinct from $3 as is_new`,
    [chainId, addresses, owner, leaseMs],
  );
  return rows.map(({ address, next_nonce, is_new }) => ({
    address,
    nextNonce: Number(next_nonce),
    isNew: is_new,
  }));
}

/** Releases wallets at once with a notification, so that the next process need not wait for the leases to end. */
export async function releaseLeases(
  pool: pg.Pool,
  addresses: readonly Address[],
  { chainId, owner }: LeaseHolder,
): Promise<void> {
  await pool.query(
    `with released as (
       update service.relayer_wallets set lease_owner = null, lease_until = null, updated_at = now()
       where chain_id = $1 and lease_owner = $2 and address = any($3) returning 1)
     select pg_notify($4, $1::int::text) where exists (select 1 from released)`,
    [chainId, owner, addresses, channels.walletsReleased],
  );
}

export type WalletStatus = {
  address: Address;
  status: 'active' | 'unfunded';
  balance: bigint;
  /** The gas that it can pay; null while its signer rests. */
  payableGas: bigint | null;
};

/** Stores the wallets' funds, and whether they can send, as far as they have changed and this owner still has the lease. */
export async function writeStatuses(
  pool: pg.Pool,
  wallets: readonly WalletStatus[],
  { chainId, owner }: LeaseHolder,
): Promise<void> {
  if (wallets.length === 0) return;
  await pool.query({
    name: 'relay statuses',
    // Locked in the order of claims, so that they do not deadlock.
    text: `
      with changed as (
        select seen.* from service.relayer_wallets wallet
        join unnest($3::text[], $4::text[], $5::numeric[], $6::bigint[]) as seen(address, status, balance, payable_gas)
          on seen.address = wallet.address
        where wallet.chain_id = $1 and wallet.lease_owner = $2 and wallet.lease_until > now()
          and (wallet.status, wallet.balance, wallet.payable_gas) is distinct from (seen.status, seen.balance, seen.payable_gas)
        order by wallet.address for update of wallet)
      update service.relayer_wallets wallet
      set status = changed.status, balance = changed.balance, payable_gas = changed.payable_gas, updated_at = now()
      from changed where wallet.chain_id = $1 and wallet.address = changed.address`,
    values: [
      chainId,
      owner,
      wallets.map(({ address }) => address),
      wallets.map(({ status }) => status),
      wallets.map(({ balance }) => String(balance)),
      wallets.map(({ payableGas }) => (payableGas === null ? null : String(payableGas))),
    ],
  });
}

/** Moves the counter, unless something was signed since it was read; returns whether it did. */
export async function moveCounter(
  pool: pg.Pool,
  { address, from, to }: { address: Address; from: number; to: number },
  { chainId, owner }: LeaseHolder,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update service.relayer_wallets set next_nonce = $5, updated_at = now()
     where chain_id = $1 and address = $2 and lease_owner = $3 and lease_until > now() and next_nonce = $4`,
    [chainId, address, owner, from, to],
  );
  return rowCount === 1;
}

/**
 * Retires the wallets without a key in any running process: they get no new rows. Returns those that still
 * have transactions under way, which can be followed without a key. A wallet is back in service once a
 * process has its key.
 */
export async function retireWallets(
  pool: pg.Pool,
  { chainId, configured }: { chainId: number; configured: readonly Address[] },
): Promise<Address[]> {
  const { rows } = await pool.query<RowOf<typeof relayerWallets, 'address'>>(
    `with retired as (
       update service.relayer_wallets set status = 'retired', updated_at = now()
       where chain_id = $1 and address <> all($2) and status <> 'retired'
         and (lease_owner is null or lease_until < now())
       returning address),
     idle as (
       select address from service.relayer_wallets where chain_id = $1 and address <> all($2) and status = 'retired'
       union select address from retired)
     select address from idle where exists (
       select 1 from service.transactions sent
       where sent.chain_id = $1 and sent.wallet = idle.address and sent.state in (${stateLists.sent}))`,
    [chainId, configured],
  );
  return rows.map(({ address }) => address);
}

import type { Address } from 'viem';
import type { Signer } from '../../platform/signers/signer.ts';
import type { ChainContext } from './chainContext.ts';
import { insertWallets, reinstateWallets, releaseLeases, renewLeases, retireWallets } from './walletRows.ts';

/** Number of renewals between two checks for wallets without a key, or retired although they have one here. */
const renewalsPerLook = 4;

/**
 * Takes and renews the leases of the chain's wallets. Returns a function that does so once, and says whether
 * this process has gained a wallet.
 */
export function createLeaseKeeper(
  context: ChainContext,
  {
    signers,
    areAllThere,
    takeSeat,
  }: {
    /** The available ones; more may come. */
    signers: readonly Signer[];
    /** Whether all configured wallets are available: before that nobody knows which wallet has lost its key. */
    areAllThere(): boolean;
    takeSeat(address: Address, signer: Signer | undefined): void;
  },
): () => Promise<boolean> {
  const { pool, chainId, holder, seats, logger } = context;
  let rows = 0;
  let renewals = 0;

  const insertRows = async (configured: readonly Address[]) => {
    const views = new Map(
      configured.flatMap((address) => {
        const view = context.view?.wallets.get(address);
        return view ? [[address, view] as const] : [];
      }),
    );
    if (views.size < configured.length) return;
    await insertWallets(pool, chainId, views);
    await reinstateWallets(pool, { chainId, configured });
    rows = configured.length;
  };
  const seeThrough = async (configured: readonly Address[]) => {
    const left = await retireWallets(pool, { chainId, configured });
    for (const address of left) if (!seats.has(address)) takeSeat(address, undefined);
    const done = [...seats.keys()].filter(
      (address) => !configured.includes(address) && !left.includes(address),
    );
    for (const address of done) seats.delete(address);
    if (done.length > 0) await releaseLeases(pool, done, holder);
  };

  return async () => {
    const configured = signers.map(({ address }) => address);
    const isLook = renewals++ % renewalsPerLook === 0;
    if (rows < configured.length) await insertRows(configured);
    if (isLook && configured.some((address) => !seats.get(address)?.wallet.isHeld))
      await reinstateWallets(pool, { chainId, configured });
    if (areAllThere() && isLook) await seeThrough(configured);
    const leases = await renewLeases(pool, [...seats.keys()], holder);
    let isAny = false;
    for (const { address, nextNonce, isNew } of leases) {
      const wallet = seats.get(address)?.wallet;
      if (!wallet) continue;
      if (isNew || !wallet.isHeld) {
        logger.info({ wallet: address, nextNonce }, 'acquired the lease of a wallet');
        wallet.isReconciled = false;
        wallet.nextNonce = nextNonce;
        wallet.committed.clear();
        isAny = true;
      }
      wallet.nextNonce = Math.max(wallet.nextNonce, nextNonce);
      wallet.isHeld = true;
    }
    for (const { wallet } of seats.values()) {
      if (!wallet.isHeld || leases.some(({ address }) => address === wallet.address)) continue;
      logger.warn({ wallet: wallet.address }, 'lost the lease of a wallet');
      wallet.isHeld = false;
    }
    return isAny;
  };
}

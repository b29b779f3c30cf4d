import type { ChainContext } from './chainContext.ts';
import type { ChainView } from './chainView.ts';
import { suggestFees } from './fees.ts';
import type { Preparations } from './preparations.ts';
import { signBatch } from './signBatch.ts';
import { hasRoom, isReady, noteSignerFailure, type Wallet } from './wallet.ts';

/** An older view is not good enough for fees. */
const viewMs = 30_000;

export type SigningOutcome =
  /** Every row that can be signed is signed. */
  | 'drained'
  /** All wallets are at their limit of transactions under way. */
  | 'full'
  /** Nothing was done because the chain's state is unknown now. */
  | 'blind';

type Options = { preparations: Preparations; wake(): void };

/**
 * Signs accepted rows, batch by batch, with all wallets that have room, and hands the bytes to their senders.
 * It does not wait for external signers: `wake` is called when there may be more to sign after one is done.
 */
export async function signAccepted(context: ChainContext, options: Options): Promise<SigningOutcome> {
  for (;;) {
    const outcome = await signOnce(context, options);
    if (outcome !== 'more') return outcome;
  }
}

async function signOnce(
  context: ChainContext,
  { preparations, wake }: Options,
): Promise<SigningOutcome | 'more'> {
  const { settings, seats, view } = context;
  const all = [...seats.values()].map(({ wallet }) => wallet);
  for (const wallet of all) wallet.isAwaited ||= wallet.isSigning;
  if (!view || performance.now() - view.readAt > viewMs) return 'blind';
  // Above the cap nothing could be mined: the row waits unsigned, without blocking a nonce.
  if (!suggestFees(view, settings.maxFeePerGas) || preparations.isBusy()) return 'drained';
  const ready = all.filter(isReady);
  const wallets = ready.filter((wallet) => hasRoom(wallet, settings));
  if (wallets.length === 0) return ready.length > 0 ? 'full' : 'drained';
  const local: Wallet[] = [];
  for (const wallet of wallets) {
    if (wallet.signer?.isLocal) local.push(wallet);
    else signInBackground(context, { wallet, view, preparations, wake });
  }
  if (local.length === 0) return 'drained';
  return (await signBatch(context, { wallets: local, view, preparations })) ? 'more' : 'drained';
}

function signInBackground(
  context: ChainContext,
  {
    wallet,
    view,
    preparations,
    wake,
  }: { wallet: Wallet; view: ChainView; preparations: Preparations; wake(): void },
): void {
  wallet.isSigning = true;
  wallet.isAwaited = false;
  const work = signBatch(context, { wallets: [wallet], view, preparations })
    .catch((error) => {
      context.logger.error({ err: error, wallet: wallet.address }, 'claiming for a wallet failed');
      noteSignerFailure(wallet);
      return true;
    })
    .then((isMore) => {
      wallet.isSigning = false;
      context.remoteWork.delete(work);
      // Rows may have arrived that the claim could not see.
      if (isMore || wallet.isAwaited) wake();
    });
  context.remoteWork.add(work);
}

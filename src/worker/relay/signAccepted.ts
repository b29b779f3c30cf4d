import type { ChainContext } from './chainContext.ts';
import type { ChainView } from './chainView.ts';
import { suggestFees } from './fees.ts';
import type { Preparations } from './preparations.ts';
import { signBatch } from './signBatch.ts';
import { hasRoom, isReady, noteSignerFailure, type Wallet } from './wallet.ts';

/** While the database commits what one half of the wallets has signed, the other half signs, where there is more than one batch. */
const lanes = 2;
/** An older view is no base for fees. */
const viewMs = 30_000;

export type SigningOutcome =
  /** Everything that can be signed is. */
  | 'drained'
  /** All wallets have as much under way as they may. */
  | 'full'
  /** Nothing was done because nobody knows what the chain says now. */
  | 'blind';

type LaneOptions = {
  preparations: Preparations;
  wake(): void;
  /** Whose wallets it signs with. */
  isMine(at: number): boolean;
};

/**
 * Signs what is accepted, batch by batch, with all wallets that have room, and hands the bytes to their senders. Signers outside of the
 * process are not waited for: `wake` is called when there may be more to sign after one is done.
 */
export async function signAccepted(
  context: ChainContext,
  options: { preparations: Preparations; wake(): void },
): Promise<SigningOutcome> {
  // A second lane would find nothing, as long as one batch holds all there is.
  const outcome = await signOnce(context, { ...options, isMine: () => true });
  if (outcome !== 'more') return outcome;
  const outcomes = await Promise.all(
    Array.from({ length: lanes }, (_, lane) =>
      signLane(context, { ...options, isMine: (at) => at % lanes === lane }),
    ),
  );
  return outcomes.find((of) => of === 'full' || of === 'blind') ?? 'drained';
}

async function signLane(context: ChainContext, options: LaneOptions): Promise<SigningOutcome> {
  for (;;) {
    const outcome = await signOnce(context, options);
    if (outcome !== 'more') return outcome;
  }
}

async function signOnce(
  context: ChainContext,
  { preparations, wake, isMine }: LaneOptions,
): Promise<SigningOutcome | 'more'> {
  const { settings, seats, view } = context;
  const all = [...seats.values()].map(({ wallet }) => wallet);
  for (const wallet of all) wallet.isAwaited ||= wallet.isSigning;
  if (!view || performance.now() - view.readAt > viewMs) return 'blind';
  // Above the cap nothing could be mined: it waits unsigned, where it holds up no nonce.
  if (!suggestFees(view, settings.maxFeePerGas) || preparations.isBusy()) return 'drained';
  const ready = all.filter((wallet, at) => isMine(at) && isReady(wallet));
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
      // Something may have come that the claim had no chance to see.
      if (isMore || wallet.isAwaited) wake();
    });
  context.remoteWork.add(work);
}

import type { ChainContext } from './chainContext.ts';
import type { ChainView } from './chainView.ts';
import { suggestFees } from './fees.ts';
import type { Preparations } from './preparations.ts';
import { signBatch } from './signBatch.ts';
import { hasRoom, isReady, noteSignerFailure, type Wallet } from './wallet.ts';

/** With more than one batch, one half of the wallets signs while the database commits the other half's rows. */
const lanes = 2;
/** An older view is not good enough for fees. */
const viewMs = 30_000;

export type SigningOutcome =
  /** Every row that can be signed is signed. */
  | 'drained'
  /** All wallets are at their limit of transactions under way. */
  | 'full'
  /** Nothing was done because the chain's state is unknown now. */
  | 'blind';

type LaneOptions = {
  preparations: Preparations;
  wake(): void;
  /** The wallets to sign with. */
  isMine(at: number): boolean;
};

/**
 * Signs accepted rows, batch by batch, with all wallets that have room, and hands the bytes to their senders.
 * It does not wait for external signers: `wake` is called when there may be more to sign after one is done.
 */
export async function signAccepted(
  context: ChainContext,
  options: { preparations: Preparations; wake(): void },
): Promise<SigningOutcome> {
  // As long as one batch holds everything, a second lane would find nothing.
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
  // Above the cap nothing could be mined: the row waits unsigned, without blocking a nonce.
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
      // Rows may have arrived that the claim could not see.
      if (isMore || wallet.isAwaited) wake();
    });
  context.remoteWork.add(work);
}

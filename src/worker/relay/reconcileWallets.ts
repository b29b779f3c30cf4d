import type { Logger } from 'pino';
import { type Address, size } from 'viem';
import type { RelaySettings } from '../../platform/config/relaySettings.ts';
import { computeDataFee } from '../../platform/nodes/dataFee.ts';
import { type ChainContext, heldSeats } from './chainContext.ts';
import { type ChainView, readChainView } from './chainView.ts';
import { suggestFees } from './fees.ts';
import { markBroadcast } from './markBroadcast.ts';
import { planCounter } from './planCounter.ts';
import { readSlots, type Slot } from './readSlots.ts';
import type { Seat } from './seat.ts';
import type { Settlements } from './settleRows.ts';
import { tendSlots } from './tendSlots.ts';
import { canSign, countInFlight, observeWallet, type Wallet } from './wallet.ts';
import { moveCounter, writeStatuses } from './walletRows.ts';

/** Rows unmined for this many polls are marked `broadcast`, if a node has them. */
const broadcastPolls = 5;
/** A counter is lowered only after it could be for this many polls: one lagging node must not be enough. */
const surplusPolls = 3;
/** The default minimum: the current price of this much gas. */
const leastGas = 3_000_000n;
/** For the cost of publishing data: the price of this many bytes. */
const leastData = 4_096;

/**
 * Reads the chain and reconciles the held wallets with it: funds, counters, the nonces under way, and the
 * rows that the chain has passed. Returns whether something is under way.
 */
export async function reconcileWallets(context: ChainContext, settlements: Settlements): Promise<boolean> {
  const { client, seats, pool, chainId, answers } = context;
  await answers.flush();
  const view = await readChainView(client, {
    addresses: [...seats.keys()],
    readDataFee: context.readDataFee,
    previous: context.view,
  });
  context.view = view;
  for (const [address, seen] of view.wallets) {
    const wallet = seats.get(address)?.wallet;
    if (wallet) observeWallet(wallet, seen);
  }
  const held = heldSeats(context).filter(({ wallet }) => view.wallets.has(wallet.address));
  await updateStatuses(context, { wallets: held.map(({ wallet }) => wallet), view });

  const counters = new Map(held.map(({ wallet }) => [wallet.address, wallet.nextNonce]));
  const slots = await readSlots(pool, {
    chainId,
    wallets: held.map(({ wallet }) => ({ address: wallet.address, from: wallet.view.minedCount })),
  });
  for (const seat of held) {
    const own = slots.filter(({ wallet }) => wallet === seat.wallet.address);
    await reconcileSeat(context, { seat, slots: own, counter: counters.get(seat.wallet.address) ?? 0, view });
  }
  const wallets = held.map(({ wallet }) => ({ address: wallet.address, minedCount: wallet.view.minedCount }));
  await markBroadcast(pool, { chainId, wallets, quietMs: broadcastPolls * context.settings.pollMs });
  const passed = await settlements.settle(view, wallets);
  return passed > 0 || held.some(({ wallet }) => countInFlight(wallet) > 0);
}

async function reconcileSeat(
  context: ChainContext,
  { seat, slots, counter, view }: { seat: Seat; slots: readonly Slot[]; counter: number; view: ChainView },
): Promise<void> {
  const { wallet, sender } = seat;
  const { pool, holder, settings, logger } = context;
  for (const { nonce, attempt, row } of slots) {
    if (!wallet.committed.has(nonce)) wallet.committed.set(nonce, costOf(attempt, row, view));
  }
  const to = planCounter({ ...wallet.view, nextNonce: counter }, slots);
  await keepCounter(context, { wallet, counter, to });
  // The nonces above are about to be free again, and nothing is spent on them.
  const end = Math.min(to, wallet.nextNonce);
  const tend = () => tendSlots({ pool, holder, settings, view, wallet, sender, logger }, { slots, end });
  if (wallet.signer?.isLocal === false) tendInBackground(context, wallet, tend);
  else await tend();
}

/** While an external signer works for one wallet, the others are reconciled. */
function tendInBackground(
  { remoteWork, logger }: ChainContext,
  wallet: Wallet,
  tend: () => Promise<void>,
): void {
  if (wallet.isTended) return;
  wallet.isTended = true;
  const work = tend()
    .catch((error) => logger.error({ err: error, wallet: wallet.address }, 'reconciling a wallet failed'))
    .then(() => {
      wallet.isTended = false;
      remoteWork.delete(work);
    });
  remoteWork.add(work);
}

/** The highest cost of signed bytes, in wei. */
function costOf({ gas, fees }: Slot['attempt'], row: Slot['row'], view: ChainView): bigint {
  return gas * fees.maxFeePerGas + computeDataFee(view.dataFee, row ? size(row.callData) : 0);
}

async function keepCounter(
  { pool, holder, settings, logger }: ChainContext,
  { wallet, counter, to }: { wallet: Wallet; counter: number; to: number },
): Promise<void> {
  if (to === counter) {
    wallet.surplus = undefined;
    wallet.isReconciled = true;
    return;
  }
  if (to < counter) {
    if (wallet.surplus?.to !== to) wallet.surplus = { to, since: performance.now() };
    if (performance.now() - wallet.surplus.since < surplusPolls * settings.pollMs) return;
  }
  const { address } = wallet;
  if (!(await moveCounter(pool, { address, from: counter, to }, holder))) return;
  logger.warn(
    { wallet: address, from: counter, to },
    'the nonce of a wallet differed from the chain; corrected it',
  );
  wallet.nextNonce = to;
  wallet.surplus = undefined;
  wallet.isReconciled = true;
  for (const nonce of wallet.committed.keys()) if (nonce >= to) wallet.committed.delete(nonce);
}

async function updateStatuses(
  { pool, holder, logger, settings }: ChainContext,
  { wallets, view }: { wallets: readonly Wallet[]; view: ChainView },
): Promise<void> {
  const least = leastBalance(settings, view);
  const signing = wallets
    .filter(({ signer }) => signer !== undefined)
    .map((wallet) => {
      const { address, view: seen, restsUntil } = wallet;
      const { balance } = seen;
      const isActive = balance >= least && restsUntil <= performance.now();
      const status: 'active' | 'unfunded' = isActive ? 'active' : 'unfunded';
      // It is not unfunded while its signer rests, but the rows of its agreements must not wait for it.
      const payableGas = canSign(wallet) ? computePayableGas(balance, settings, view) : null;
      return { wallet, row: { address, status, balance, payableGas } };
    });
  await writeStatuses(
    pool,
    signing.map(({ row }) => row),
    holder,
  );
  for (const { wallet, row } of signing) {
    if (row.status !== wallet.status) noteStatus(logger, { ...row, least });
    wallet.status = row.status;
  }
}

function leastBalance(settings: RelaySettings, view: ChainView): bigint {
  const fees = suggestFees(view, settings.maxFeePerGas);
  return (
    settings.minBalance ??
    leastGas * (fees?.maxFeePerGas ?? settings.maxFeePerGas) + computeDataFee(view.dataFee, leastData)
  );
}

/** Without rounding, the row would be written at every change of the base fee. */
const gasSteps = 50_000n;

/** The most simulated gas with which the funds can pay a transaction at the current fees. */
function computePayableGas(balance: bigint, settings: RelaySettings, view: ChainView): bigint {
  const fee = suggestFees(view, settings.maxFeePerGas)?.maxFeePerGas ?? settings.maxFeePerGas;
  const left = balance - computeDataFee(view.dataFee, leastData);
  if (left <= 0n) return 0n;
  const gas = (left * 100n) / (fee * BigInt(100 + settings.gasMarginPercent));
  const mostGas = 2n ** 53n;
  return gas > mostGas ? mostGas : (gas / gasSteps) * gasSteps;
}

function noteStatus(
  logger: Logger,
  wallet: { address: Address; status: string; balance: bigint; least: bigint },
): void {
  const { address, status, balance, least } = wallet;
  const facts = { wallet: address, balance: String(balance), least: String(least) };
  if (status === 'active') logger.info(facts, 'a wallet can send again');
  else logger.error(facts, 'the balance of a wallet is too low; pausing it');
}

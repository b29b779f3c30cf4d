import type pg from 'pg';
import type { Logger } from 'pino';
import type { Hex } from 'viem';
import type { RelaySettings } from '../../platform/config/relaySettings.ts';
import { SigningError } from '../../platform/signers/signer.ts';
import { continueTrace } from '../../platform/tracing/tracing.ts';
import type { Terms } from './assignRows.ts';
import type { ChainView } from './chainView.ts';
import { type Fees, raiseFees, suggestFees } from './fees.ts';
import { findGaps } from './planCounter.ts';
import { leastBlocks, planSlot, type SlotAction } from './planSlot.ts';
import { isLive, type Slot } from './readSlots.ts';
import type { Outgoing, Sender } from './sender.ts';
import { type Call, signTransaction } from './signTransaction.ts';
import { readBytes, storeAttempt } from './storeAttempt.ts';
import { canSign, noteSignerFailure, observeFront, stalledBlocks, stalledMs, type Wallet } from './wallet.ts';
import type { LeaseHolder } from './walletRows.ts';

/** An empty transfer to an account without code costs exactly this much gas. */
const transferGas = 21_000n;

export type TendOptions = {
  pool: pg.Pool;
  holder: LeaseHolder;
  settings: RelaySettings;
  view: ChainView;
  wallet: Wallet;
  sender: Sender;
  logger: Logger;
};

/** Handles every nonce of a wallet below `end` that the chain has not used up, in order. */
export async function tendSlots(
  options: TendOptions,
  { slots, end }: { slots: readonly Slot[]; end: number },
): Promise<void> {
  const { wallet, sender, pool, view } = options;
  sender.retain(new Set(slots.map(({ attempt }) => attempt.hash)), view.readAt);
  noteFront(options, { slots, end });
  const outgoing: Outgoing[] = [];
  const resent: Slot[] = [];
  for (const slot of slots.filter(({ nonce }) => nonce < end)) {
    const { action, terms } = decide(options, slot);
    if (action === 'resend') resent.push(slot);
    if (action !== 'replace' && action !== 'cancel') continue;
    const made = terms && (await makeAttempt(options, { slot, action, terms }));
    if (made) outgoing.push(made);
  }
  if (resent.length > 0) {
    const stored = await readBytes(
      pool,
      resent.map(({ attempt }) => attempt.id),
    );
    const traceParents = new Map(resent.map(({ attempt, row }) => [attempt.id, row?.traceParent]));
    for (const [id, bytes] of stored)
      outgoing.push({ ...bytes, everywhere: true, traceParent: traceParents.get(id) ?? null });
  }
  for (const nonce of findGaps({ minedCount: wallet.view.minedCount, end }, slots)) {
    const filler = await fillGap(options, nonce);
    if (filler) outgoing.push(filler);
  }
  sender.push(outgoing);
}

function noteFront(
  { wallet, view }: TendOptions,
  { slots, end }: { slots: readonly Slot[]; end: number },
): void {
  const nonce = wallet.view.minedCount;
  const first = slots.find((slot) => slot.nonce === nonce);
  // An idle wallet is not stuck, however many blocks pass.
  if (nonce >= end) wallet.front = undefined;
  else observeFront(wallet, { nonce, hash: first?.attempt.hash, blockNumber: view.blockNumber });
}

function decide(
  { wallet, sender, settings, view }: TendOptions,
  slot: Slot,
): { action: SlotAction; terms?: Terms } {
  const { attempt, row, nonce } = slot;
  const raised = (cap: bigint) => (canSign(wallet) ? raiseFees(attempt.fees, view, cap) : undefined);
  // A row shown as mined in a block that fell out is sent again, and otherwise left alone until the fold
  // catches up.
  const replacement = row && row.state !== 'mined' ? raised(settings.maxFeePerGas) : undefined;
  const cancellation = raised(settings.cancelBudget / transferGas);
  const sentMs = sender.sentMs(attempt.hash);
  const action = planSlot(
    {
      purpose: row ? (isLive(slot) ? 'wanted' : 'unwanted') : 'nothing',
      isFirst: nonce === wallet.view.minedCount,
      ageMs: attempt.ageMs,
      acceptedMs: attempt.acceptedMs,
      sentMs,
      stalledMs: stalledMs(wallet, performance.now() - attempt.ageMs),
      stalledBlocks: stalledBlocks(wallet, { nonce, blockNumber: view.blockNumber }),
      objection: attempt.objection,
      isRefusedByAll: sender.isRefused(attempt.hash),
      untakenMs: attempt.untakenMs,
      leftMs: row ? Number(row.deadline - view.timestamp) * 1_000 : undefined,
      canReplace: replacement !== undefined,
      canCancel: cancellation !== undefined,
    },
    settings,
  );
  if (sentMs === 0) return { action: 'wait' };
  if (action === 'replace' && replacement) return { action, terms: { gas: attempt.gas, fees: replacement } };
  if (action === 'cancel' && cancellation) return { action, terms: { gas: transferGas, fees: cancellation } };
  return { action };
}

async function makeAttempt(
  options: TendOptions,
  { slot, action, terms }: { slot: Slot; action: 'replace' | 'cancel'; terms: Terms },
): Promise<Outgoing | undefined> {
  const { nonce, row, attempt } = slot;
  const carried = action === 'replace' ? row : undefined;
  const call: Call = carried
    ? { to: carried.contract, data: carried.callData, gas: terms.gas }
    : { to: options.wallet.address, data: '0x', gas: terms.gas };
  const hash = await signAndStore(options, {
    nonce,
    previousId: attempt.id,
    transactionId: carried?.id,
    traceParent: carried?.traceParent ?? null,
    call,
    fees: terms.fees,
  });
  if (hash) {
    const facts = {
      nonce,
      transaction: row?.id,
      previous: attempt.hash,
      hash: hash.hash,
      ...describe(terms.fees),
    };
    options.logger.info(
      facts,
      action === 'replace' ? 'raised the fees of a transaction' : 'sent a transaction that frees a nonce',
    );
  }
  return hash;
}

/** A nonce below the counter for which nothing was signed here: somebody else's, or nobody's. */
async function fillGap(options: TendOptions, nonce: number): Promise<Outgoing | undefined> {
  const { wallet, settings, view, logger } = options;
  const isElsewhere = wallet.view.pendingCount > nonce;
  if (isElsewhere && !isStuck(options)) return undefined;
  const fees = suggestFees(view, settings.cancelBudget / transferGas);
  if (!fees) return undefined;
  const call: Call = { to: wallet.address, data: '0x', gas: transferGas };
  const filler = await signAndStore(options, {
    nonce,
    previousId: undefined,
    transactionId: undefined,
    traceParent: null,
    call,
    fees,
  });
  if (filler) logger.warn({ nonce, hash: filler.hash }, 'sent a transaction that fills a nonce gap');
  return filler;
}

/** Whether the wallet's next transaction should have been mined, even if it is somebody else's. */
function isStuck({ wallet, settings, view }: TendOptions): boolean {
  const blocks = stalledBlocks(wallet, { nonce: wallet.view.minedCount, blockNumber: view.blockNumber });
  return blocks >= leastBlocks && stalledMs(wallet) >= 2 * settings.replaceAfterMs;
}

async function signAndStore(
  { pool, holder, wallet, logger }: TendOptions,
  wanted: {
    nonce: number;
    previousId: string | undefined;
    transactionId: string | undefined;
    traceParent: string | null;
    call: Call;
    fees: Fees;
  },
): Promise<Outgoing | undefined> {
  const { nonce, previousId, transactionId, traceParent, call, fees } = wanted;
  if (!wallet.signer || !canSign(wallet)) return undefined;
  const unsigned = { call, chainId: holder.chainId, nonce, fees };
  const { signer } = wallet;
  const attributes = { 'agreements.chain.id': holder.chainId, 'agreements.transaction.id': transactionId };
  const signed = await continueTrace({ name: 'sign transaction', traceParent, attributes }, () =>
    signTransaction(signer, unsigned),
  ).catch((error) => {
    if (!(error instanceof SigningError)) throw error;
    const restMs = noteSignerFailure(wallet);
    logger.error({ err: error, wallet: wallet.address, nonce, restMs }, 'a signer failed to sign');
    return undefined;
  });
  if (!signed) return undefined;
  const attempt = {
    wallet: wallet.address,
    nonce,
    previousId,
    transactionId,
    signed,
    terms: { gas: call.gas, fees },
  };
  if (!(await storeAttempt(pool, attempt, holder))) return undefined;
  wallet.committed.set(nonce, call.gas * fees.maxFeePerGas);
  return { ...signed, everywhere: false, traceParent };
}

function describe({ maxFeePerGas, maxPriorityFeePerGas }: Fees): Record<string, Hex | string> {
  return { maxFeePerGas: String(maxFeePerGas), maxPriorityFeePerGas: String(maxPriorityFeePerGas) };
}

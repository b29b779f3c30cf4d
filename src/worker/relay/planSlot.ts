import type { NodeObjection } from '../../platform/nodes/nodeAnswer.ts';

/** The data that decide about a nonce that the chain has not used up. Times in milliseconds. */
export type SlotFacts = {
  /** The purpose of its newest bytes: wanted, no longer wanted, or only filling the nonce. */
  readonly purpose: 'wanted' | 'unwanted' | 'nothing';
  /** The wallet's first free nonce: nothing after it can be mined earlier. */
  readonly isFirst: boolean;
  /**
   * When the bytes were signed, when a node last accepted them, and when this process last sent them, if
   * ever.
   */
  readonly ageMs: number;
  readonly acceptedMs: number | undefined;
  readonly sentMs: number | undefined;
  /** How long this nonce has been first in line with these bytes. */
  readonly stalledMs: number;
  /** How many blocks have left it out since then, as far as this process has seen. */
  readonly stalledBlocks: number;
  readonly objection: NodeObjection | undefined;
  /** Whether every node said, when the bytes were last sent, that it will never take them. */
  readonly isRefusedByAll: boolean;
  /** How long no node has accepted any bytes for this nonce; undefined if one has. */
  readonly untakenMs: number | undefined;
  /** Until the permit expires; undefined for bytes that do not expire. */
  readonly leftMs: number | undefined;
  /** Whether the limits allow a replacement that nodes would accept: of the same call, or of nothing. */
  readonly canReplace: boolean;
  readonly canCancel: boolean;
};

/**
 * wait; resend the newest bytes; replace them by the same call with higher fees; cancel them: replace them by
 * an empty transfer, which uses up the nonce so that later nonces can be mined.
 */
export type SlotAction = 'wait' | 'resend' | 'replace' | 'cancel';

export type SlotTimes = { readonly resendAfterMs: number; readonly replaceAfterMs: number };

/**
 * A stuck transaction raises its fees only after this many blocks have left it out. While a chain makes no
 * blocks, no price would help, and the first block may have been in the making already.
 */
export const leastBlocks = 2;
/**
 * Fees that a node finds too low are raised no more often than this. Otherwise a dispute over a nonce would
 * reach the cap within a minute.
 */
const objectionPauseMs = 2_000;
/** So many times as long as a stuck transaction waits for higher fees. */
const untakenTimes = 5;
const shortestResendMs = 1_000;

/** Decides the next action for one nonce. */
export function planSlot(facts: SlotFacts, times: SlotTimes): SlotAction {
  const { purpose, objection, acceptedMs, ageMs } = facts;
  const raise = purpose === 'wanted' ? 'replace' : 'cancel';
  const canRaise = purpose === 'wanted' ? facts.canReplace : facts.canCancel;

  if (objection === 'underpriced' && canRaise && ageMs >= objectionPauseMs) return raise;
  // No node has them, so they would only be a gap: bytes that nobody wants need not be sent first.
  if (purpose === 'unwanted' && acceptedMs === undefined && facts.canCancel) return 'cancel';
  if (isRejected(facts, times)) return 'cancel';
  if (isHopeless(facts, times)) return 'cancel';
  if (facts.isFirst && canRaise && hasWaited(facts, times)) return raise;
  // Bytes that a node has accepted may be mined, which uses up the nonce too; they are not sent to other
  // nodes.
  if (purpose === 'unwanted' && facts.canCancel) return 'wait';
  return isDue(facts, times) ? 'resend' : 'wait';
}

/**
 * Whether nodes say that they will never take these bytes: later nonces must not wait for them. A node that does not answer, or has
 * taken bytes for the nonce before, gets some time.
 */
function isRejected(facts: SlotFacts, { replaceAfterMs }: SlotTimes): boolean {
  const { purpose, objection, untakenMs, ageMs, isRefusedByAll, canCancel } = facts;
  // Nothing is less than an empty transfer.
  if (purpose === 'nothing' || objection !== 'rejected' || !canCancel) return false;
  const isFutile = isRefusedByAll && untakenMs !== undefined;
  return ageMs >= (isFutile ? Math.min(objectionPauseMs, replaceAfterMs) : replaceAfterMs);
}

/**
 * Whether nodes have refused a wanted call for long in words that are not understood, or not answered, while the chain goes
 * on: later nonces must not wait until its permit expires. It gets another nonce later.
 */
function isHopeless(facts: SlotFacts, { replaceAfterMs }: SlotTimes): boolean {
  const { purpose, isFirst, objection, untakenMs = 0, stalledBlocks, canCancel } = facts;
  const isRefused = purpose === 'wanted' && isFirst && objection === 'unavailable' && canCancel;
  return isRefused && stalledBlocks >= leastBlocks && untakenMs >= untakenTimes * replaceAfterMs;
}

function hasWaited(facts: SlotFacts, times: SlotTimes): boolean {
  return facts.stalledBlocks >= leastBlocks && facts.stalledMs >= patience(facts, times);
}

/** Fees rise faster near the deadline, but never faster than blocks: an eighth of the remaining time per step. */
function patience({ leftMs }: SlotFacts, { replaceAfterMs }: SlotTimes): number {
  if (leftMs === undefined) return replaceAfterMs;
  return Math.min(replaceAfterMs, Math.max(objectionPauseMs, leftMs / 8));
}

function isDue(facts: SlotFacts, { resendAfterMs }: SlotTimes): boolean {
  const { sentMs, acceptedMs, stalledMs, objection, ageMs } = facts;
  // Signed by a process that is gone, or accepted by a node that may have lost it since.
  if (sentMs === undefined) return true;
  const isTaken = acceptedMs !== undefined && objection === undefined;
  if (!isTaken) return sentMs >= Math.min(resendAfterMs, Math.max(shortestResendMs, ageMs / 4));
  return sentMs >= resendAfterMs && stalledMs >= resendAfterMs;
}

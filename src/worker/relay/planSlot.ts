import type { NodeObjection } from '../../platform/nodes/nodeAnswer.ts';

/** What decides about a nonce that the chain has not used up. Times in milliseconds. */
export type SlotFacts = {
  /** What its newest bytes do: what is still wanted, what nobody wants any more, or nothing but using up the nonce. */
  readonly purpose: 'wanted' | 'unwanted' | 'nothing';
  /** The wallet's first free nonce: nothing after it can be mined before it is. */
  readonly isFirst: boolean;
  /** Since the bytes were signed; since a node last took them, and since this process last sent them, if ever. */
  readonly ageMs: number;
  readonly acceptedMs: number | undefined;
  readonly sentMs: number | undefined;
  /** How long this nonce has been the first one with these bytes, without being used up. */
  readonly stalledMs: number;
  /** How many blocks of the chain have left it out since then, as far as this process has seen. */
  readonly stalledBlocks: number;
  readonly objection: NodeObjection | undefined;
  /** Until the permit expires; undefined for what does not expire. */
  readonly leftMs: number | undefined;
  /** Whether the limits leave room for other bytes that nodes would take instead: of the same call, or of nothing. */
  readonly canReplace: boolean;
  readonly canCancel: boolean;
};

/**
 * wait; resend the newest bytes; replace them by the same call at higher fees; cancel, which is to replace them by a transfer of
 * nothing: it uses up the nonce, so that what comes after it can be mined.
 */
export type SlotAction = 'wait' | 'resend' | 'replace' | 'cancel';

export type SlotTimes = { readonly resendAfterMs: number; readonly replaceAfterMs: number };

/**
 * What does not get on offers more only after so many blocks have left it out: while a chain makes none, nothing could have been mined
 * at whatever price, and the first one may have been in the making already.
 */
export const leastBlocks = 2;
/** Fees that a node finds too low are raised no more often than this, or a quarrel over a nonce would reach the cap in a minute. */
const objectionPauseMs = 2_000;
const shortestResendMs = 1_000;

/** Decides what to do about one nonce now. */
export function planSlot(facts: SlotFacts, times: SlotTimes): SlotAction {
  const { purpose, objection, acceptedMs, ageMs } = facts;
  const raise = purpose === 'wanted' ? 'replace' : 'cancel';
  const canRaise = purpose === 'wanted' ? facts.canReplace : facts.canCancel;

  if (objection === 'underpriced' && canRaise && ageMs >= objectionPauseMs) return raise;
  // No node has them, so they would only be a gap: what is not wanted need not be sent first.
  if (purpose === 'unwanted' && acceptedMs === undefined && facts.canCancel) return 'cancel';
  // Refused for good by every node for so long: whatever comes after it must not wait for it.
  if (objection === 'rejected' && ageMs >= times.replaceAfterMs && facts.canCancel) return 'cancel';
  if (facts.isFirst && canRaise && hasWaited(facts, times)) return raise;
  // What a node has taken may well be mined, which uses up the nonce too; it is not sent to others as well.
  if (purpose === 'unwanted' && facts.canCancel) return 'wait';
  return isDue(facts, times) ? 'resend' : 'wait';
}

function hasWaited(facts: SlotFacts, times: SlotTimes): boolean {
  return facts.stalledBlocks >= leastBlocks && facts.stalledMs >= patience(facts, times);
}

/** The nearer the deadline, the faster fees rise, though never faster than blocks: an eighth of what is left at a time. */
function patience({ leftMs }: SlotFacts, { replaceAfterMs }: SlotTimes): number {
  if (leftMs === undefined) return replaceAfterMs;
  return Math.min(replaceAfterMs, Math.max(objectionPauseMs, leftMs / 8));
}

function isDue(facts: SlotFacts, { resendAfterMs }: SlotTimes): boolean {
  const { sentMs, acceptedMs, stalledMs, objection, ageMs } = facts;
  // Signed by a process that is gone, or taken by a node that may have lost it since.
  if (sentMs === undefined) return true;
  const isTaken = acceptedMs !== undefined && objection === undefined;
  if (!isTaken) return sentMs >= Math.min(resendAfterMs, Math.max(shortestResendMs, ageMs / 4));
  return sentMs >= resendAfterMs && stalledMs >= resendAfterMs;
}

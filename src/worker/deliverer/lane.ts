import type { WebhookSettings } from '../../platform/config/webhookSettings.ts';
import type { DueDelivery } from './dueDeliveries.ts';

/** What one worker has under way of one subscription. */
export type Lane = {
  readonly id: string;
  /** The deliveries being attempted, until their results are recorded. */
  readonly inFlight: Map<string, { isFirst: boolean }>;
  /** Whether there may be something to attempt that was not looked for yet. */
  isWanted: boolean;
  /** Whether this worker is the one that attends to the subscription. */
  isSeated: boolean;
  /** The host that was dialled last, and whose the subscription is; undefined before the first attempt. */
  host: string | undefined;
  principalId: string | undefined;
  failuresInRow: number;
  /** How often it was seen with nothing under way since there was something. */
  idleLooks: number;
};

/** A receiver that fails again and again is not worth many connections that wait for it. */
const failuresOfBroken = 5;
const widthOfBroken = 2;
const longestIdleLooks = 2;

export function createLane(id: string): Lane {
  const inFlight = new Map<string, { isFirst: boolean }>();
  return {
    id,
    inFlight,
    isWanted: true,
    isSeated: false,
    host: undefined,
    principalId: undefined,
    failuresInRow: 0,
    idleLooks: 0,
  };
}

/** Whether others may as well attend to the subscription: it is kept for a while for what may come next. */
export function isIdle(lane: Lane): boolean {
  return !lane.isWanted && lane.inFlight.size === 0 && lane.idleLooks > longestIdleLooks;
}

/** How many more attempts of a subscription may begin. */
export function measureFree(
  lane: Lane,
  { perSubscription }: Pick<WebhookSettings, 'perSubscription'>,
): number {
  const width =
    lane.failuresInRow < failuresOfBroken ? perSubscription : Math.min(perSubscription, widthOfBroken);
  return Math.max(0, width - lane.inFlight.size);
}

/**
 * Which of the deliveries that are due are attempted now: tests and first attempts, and retries with what is left over; but where
 * no retry is under way, one is not kept waiting by however many first attempts.
 */
export function chooseDeliveries(lane: Lane, due: readonly DueDelivery[], free: number): DueDelivery[] {
  const firsts = due.filter(({ isFirst }) => isFirst);
  const retries = due.filter(({ isFirst }) => !isFirst);
  const isRetrying = [...lane.inFlight.values()].some(({ isFirst }) => !isFirst);
  const isOwed = retries.length > 0 && !isRetrying && (free > 1 || lane.inFlight.size > 0);
  const chosen = firsts.slice(0, isOwed ? free - 1 : free);
  return [...chosen, ...retries.slice(0, free - chosen.length)];
}

import type { WebhookSettings } from '../../platform/config/webhookSettings.ts';
import type { DueDelivery } from './dueDeliveries.ts';

/** One worker's deliveries of one subscription. */
export type Lane = {
  readonly id: string;
  /** Deliveries being attempted, until their results are stored. */
  readonly inFlight: Map<string, { isFirst: boolean }>;
  /** Whether there may be deliveries to attempt that were not read yet. */
  isWanted: boolean;
  /** Whether this worker serves the subscription. */
  isSeated: boolean;
  /** The last host, and the subscription's owner; undefined before the first attempt. */
  host: string | undefined;
  principalId: string | undefined;
  failuresInRow: number;
  /** The last record that had its turn in going round the records; empty before the first. */
  roundAfter: string;
  /** Whether the next first attempt is for the record whose turn it is. */
  isRoundNext: boolean;
  /** How often it was idle in a row. */
  idleLooks: number;
  /** Its last place, numbered in the order in which the worker gave out places; 0 before its first. */
  lastTurn: number;
};

/** A receiver that keeps failing is not worth many waiting connections. */
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
    roundAfter: '',
    isRoundNext: false,
    idleLooks: 0,
    lastTurn: 0,
  };
}

/** Whether the seat can be given up: it is kept for a while for the next deliveries. */
export function isIdle(lane: Lane): boolean {
  return !lane.isWanted && lane.inFlight.size === 0 && lane.idleLooks > longestIdleLooks;
}

/** Notes that an attempt begins: in going round, the next record has its turn afterwards. */
export function beginDelivery(
  lane: Lane,
  { id, isFirst, isOfRound, recordId }: Pick<DueDelivery, 'id' | 'isFirst' | 'isOfRound' | 'recordId'>,
): void {
  lane.inFlight.set(id, { isFirst });
  if (!isFirst || recordId === null) return;
  lane.isRoundNext = !isOfRound;
  if (isOfRound) lane.roundAfter = recordId;
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
 * Selects the due deliveries to attempt now: tests and first attempts, and retries in the remaining places.
 * If no retry is under way, one retry gets a place before first attempts.
 */
export function chooseDeliveries<Due extends Pick<DueDelivery, 'isFirst'>>(
  lane: Lane,
  due: readonly Due[],
  free: number,
): Due[] {
  // Other lanes of the pass may have taken all places.
  if (free <= 0) return [];
  const firsts = due.filter(({ isFirst }) => isFirst);
  const retries = due.filter(({ isFirst }) => !isFirst);
  const isRetrying = [...lane.inFlight.values()].some(({ isFirst }) => !isFirst);
  const isOwed = retries.length > 0 && !isRetrying && (free > 1 || lane.inFlight.size > 0);
  const chosen = firsts.slice(0, isOwed ? free - 1 : free);
  return [...chosen, ...retries.slice(0, free - chosen.length)];
}

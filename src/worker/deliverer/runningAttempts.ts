import type { Logger } from 'pino';
import type { WebhookSettings } from '../../platform/config/webhookSettings.ts';
import { byTurns } from '../../platform/turns/byTurns.ts';
import type { DeliveryWithBody } from './deliveryBodies.ts';
import type { DueDelivery, ServedSubscription } from './dueDeliveries.ts';
import { beginDelivery, chooseDeliveries, type Lane, measureFree } from './lane.ts';
import { createPlaces, type Target } from './places.ts';

/** A lane's due deliveries. */
export type Offer = {
  readonly lane: Lane;
  readonly subscription: ServedSubscription;
  readonly due: readonly DueDelivery[];
};

/** A delivery that gets a free place. */
export type Chosen<Delivery = DueDelivery> = {
  readonly lane: Lane;
  readonly subscription: ServedSubscription;
  readonly delivery: Delivery;
};

export type RunningAttempts = {
  /** How many more attempts of a subscription may begin now. */
  measureRoom(lane: Lane): number;
  /**
   * Shares out the free places: no more deliveries than may begin together. Each principal's first one comes before
   * anybody's second, and so do those of its subscriptions. If some are left over, their lane is wanted again.
   */
  choose(offers: readonly Offer[]): Chosen[];
  begin(attempt: Chosen<DeliveryWithBody> & { readonly signal: AbortSignal }): void;
  /** Resolves when all running attempts have ended. */
  awaitEnd(): Promise<void>;
};

/** The attempts of one worker, within the limits of its places. */
export function createRunningAttempts(options: {
  settings: WebhookSettings;
  logger: Logger;
  make(attempt: {
    subscription: ServedSubscription;
    delivery: DeliveryWithBody;
    signal: AbortSignal;
  }): Promise<void>;
  /** There is room again. */
  onEnd(): void;
}): RunningAttempts {
  const { settings, logger, make, onEnd } = options;
  const places = createPlaces(settings);
  const running = new Set<Promise<void>>();

  const choosePlaced = ({ lane, subscription, due }: Offer, count: number): Chosen[] => {
    // Deliveries left over are read again as soon as there is room.
    if (due.length > count) lane.isWanted = true;
    return chooseDeliveries(lane, due, count).map((delivery) => ({ lane, subscription, delivery }));
  };

  const runAttempt = async (lane: Lane, attempt: Parameters<typeof make>[0]) => {
    const { subscription, delivery, signal } = attempt;
    const target = targetOf(subscription);
    beginDelivery(lane, delivery);
    places.take(target);
    try {
      await make(attempt);
    } catch (error) {
      if (!signal.aborted)
        logger.error({ err: error, delivery: delivery.id }, 'failed to record a delivery attempt');
    } finally {
      lane.inFlight.delete(delivery.id);
      places.free(target);
      lane.isWanted = true;
    }
  };

  return {
    measureRoom: places.measureRoom,
    choose(offers) {
      const requests = offers.map(({ lane, subscription, due }) => {
        const target = targetOf(subscription);
        lane.failuresInRow = subscription.failuresInRow;
        lane.host = target.host;
        lane.principalId = target.principalId;
        if (due.length > 0) lane.idleLooks = 0;
        return { ...target, lane, most: Math.min(due.length, measureFree(lane, settings)) };
      });
      const allotted = places.allot(requests);
      const chosen = offers.flatMap((offer) => choosePlaced(offer, allotted.get(offer.lane) ?? 0));
      const inLanes = byTurns(chosen, ({ lane }) => lane.id);
      return byTurns(inLanes, ({ subscription }) => subscription.principalId);
    },
    begin({ lane, ...attempt }) {
      const attempted = runAttempt(lane, attempt).finally(() => {
        running.delete(attempted);
        onEnd();
      });
      running.add(attempted);
    },
    async awaitEnd() {
      await Promise.all(running);
    },
  };
}

const targetOf = ({ url, principalId }: ServedSubscription): Target => ({
  host: new URL(url).hostname,
  principalId,
});

import type { Logger } from 'pino';
import type { WebhookSettings } from '../../platform/config/webhookSettings.ts';
import { byTurns } from '../../platform/turns/byTurns.ts';
import { type Counts, createCounts } from '../../platform/turns/counts.ts';
import type { DeliveryWithBody } from './deliveryBodies.ts';
import type { DueDelivery, ServedSubscription } from './dueDeliveries.ts';
import { chooseDeliveries, type Lane, measureFree } from './lane.ts';

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
   * Shares out the free places: no more deliveries than may begin together, each principal's first one before
   * anybody's second. If some are left over, their lane is wanted again.
   */
  choose(offers: readonly Offer[]): Chosen[];
  begin(attempt: Chosen<DeliveryWithBody> & { readonly signal: AbortSignal }): void;
  /** Resolves when all running attempts have ended. */
  awaitEnd(): Promise<void>;
};

/**
 * The attempts of one worker, within the configured limits per subscription, host, principal and in total. A
 * principal gets at most half of a host's places, so that it cannot block a host that many principals use.
 */
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
  const underWay = createCounts();
  const running = new Set<Promise<void>>();

  /** Places left while those of `planned` attempts are taken. */
  const measureLeft = (lane: Lane, planned: Planned) => {
    const { host, principalId } = lane;
    const rooms = [measureFree(lane, settings), settings.perWorker - running.size - planned.total];
    if (host !== undefined && principalId !== undefined) {
      const taken = (name: string) => underWay.of(name) + planned.counts.of(name);
      rooms.push(settings.perHost - taken(host));
      rooms.push(settings.perPrincipal - taken(principalId));
      rooms.push(Math.ceil(settings.perHost / 2) - taken(`${principalId} ${host}`));
    }
    return Math.min(...rooms);
  };

  const chooseOf = ({ lane, subscription, due }: Offer, planned: Planned): Chosen[] => {
    const left = measureLeft(lane, planned);
    // Deliveries left over are read again as soon as there is room.
    if (due.length > left) lane.isWanted = true;
    const chosen = chooseDeliveries(lane, due, left);
    for (const name of countedNames(subscription)) planned.counts.add(name, chosen.length);
    planned.total += chosen.length;
    return chosen.map((delivery) => ({ lane, subscription, delivery }));
  };

  const runAttempt = async (lane: Lane, attempt: Parameters<typeof make>[0]) => {
    const { subscription, delivery, signal } = attempt;
    const counted = countedNames(subscription);
    lane.inFlight.set(delivery.id, { isFirst: delivery.isFirst });
    for (const name of counted) underWay.add(name, 1);
    try {
      await make(attempt);
    } catch (error) {
      if (!signal.aborted)
        logger.error({ err: error, delivery: delivery.id }, 'failed to record a delivery attempt');
    } finally {
      lane.inFlight.delete(delivery.id);
      for (const name of counted) underWay.add(name, -1);
      lane.isWanted = true;
    }
  };

  return {
    measureRoom: (lane) => measureLeft(lane, { counts: createCounts(), total: 0 }),
    choose(offers) {
      for (const { lane, subscription, due } of offers) {
        lane.failuresInRow = subscription.failuresInRow;
        lane.host = new URL(subscription.url).hostname;
        lane.principalId = subscription.principalId;
        if (due.length > 0) lane.idleLooks = 0;
      }
      const planned: Planned = { counts: createCounts(), total: 0 };
      const ownerOf = ({ subscription }: Offer) => subscription.principalId;
      const chosen = byTurns(offers, ownerOf).flatMap((offer) => chooseOf(offer, planned));
      return byTurns(chosen, ({ subscription }) => subscription.principalId);
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

/** What an attempt counts against besides its subscription and its worker. */
function countedNames({ url, principalId }: ServedSubscription): string[] {
  const host = new URL(url).hostname;
  return [host, principalId, `${principalId} ${host}`];
}

/** Attempts that are chosen and have not begun. */
type Planned = { readonly counts: Counts; total: number };

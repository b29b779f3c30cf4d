import type { Logger } from 'pino';
import type { WebhookSettings } from '../../platform/config/webhookSettings.ts';
import type { DueDelivery, ServedSubscription } from './dueDeliveries.ts';
import { chooseDeliveries, type Lane, measureFree } from './lane.ts';

export type RunningAttempts = {
  /** How many more attempts of a subscription may begin now. */
  measureRoom(lane: Lane): number;
  /** Starts attempts of due deliveries in the free places. If some are left over, their lane is wanted again. */
  begin(
    lane: Lane,
    offer: { subscription: ServedSubscription; due: readonly DueDelivery[]; signal: AbortSignal },
  ): void;
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
  /** Makes and stores an attempt. */
  make(attempt: {
    subscription: ServedSubscription;
    delivery: DueDelivery;
    signal: AbortSignal;
  }): Promise<void>;
  /** There is room again. */
  onEnd(): void;
}): RunningAttempts {
  const { settings, logger, make, onEnd } = options;
  const underWay = createCounts();
  const running = new Set<Promise<void>>();

  const measureRoom = (lane: Lane) => {
    const { host, principalId } = lane;
    const rooms = [measureFree(lane, settings), settings.perWorker - running.size];
    if (host !== undefined && principalId !== undefined) {
      rooms.push(settings.perHost - underWay.of(host));
      rooms.push(settings.perPrincipal - underWay.of(principalId));
      rooms.push(Math.ceil(settings.perHost / 2) - underWay.of(`${principalId} ${host}`));
    }
    return Math.min(...rooms);
  };

  const runAttempt = async (lane: Lane, attempt: Parameters<typeof make>[0]) => {
    const { subscription, delivery, signal } = attempt;
    const host = new URL(subscription.url).hostname;
    const { principalId } = subscription;
    const counted = [host, principalId, `${principalId} ${host}`];
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
    measureRoom,
    begin(lane, { subscription, due, signal }) {
      lane.failuresInRow = subscription.failuresInRow;
      lane.host = new URL(subscription.url).hostname;
      lane.principalId = subscription.principalId;
      if (due.length > 0) lane.idleLooks = 0;
      const room = measureRoom(lane);
      // Deliveries left over are read again as soon as there is room.
      if (due.length > room) lane.isWanted = true;
      for (const delivery of chooseDeliveries(lane, due, room)) {
        const attempt = runAttempt(lane, { subscription, delivery, signal }).finally(() => {
          running.delete(attempt);
          onEnd();
        });
        running.add(attempt);
      }
    },
    async awaitEnd() {
      await Promise.all(running);
    },
  };
}

/** Counts by name; entries at 0 are removed. */
function createCounts() {
  const counts = new Map<string, number>();
  return {
    of: (name: string) => counts.get(name) ?? 0,
    add(name: string, change: number) {
      const count = (counts.get(name) ?? 0) + change;
      if (count > 0) counts.set(name, count);
      else counts.delete(name);
    },
  };
}

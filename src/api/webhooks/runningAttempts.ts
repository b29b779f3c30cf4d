import type { Logger } from 'pino';
import type { WebhookSettings } from '../config/webhookSettings.ts';
import type { DueDelivery, ServedSubscription } from './dueDeliveries.ts';
import { chooseDeliveries, type Lane, measureFree } from './lane.ts';

export type RunningAttempts = {
  /** How many more attempts of a subscription may begin now. */
  measureRoom(lane: Lane): number;
  /** Begins attempts of what is due, as many as there is room for; where something is left over, its lane is wanted again. */
  begin(
    lane: Lane,
    offer: { subscription: ServedSubscription; due: readonly DueDelivery[]; signal: AbortSignal },
  ): void;
  /** Resolves when all that run have ended. */
  awaitEnd(): Promise<void>;
};

/** The attempts of one worker: so many of each subscription, of each host and in all as the settings say. */
export function createRunningAttempts(options: {
  settings: WebhookSettings;
  logger: Logger;
  /** Makes and records an attempt. */
  make(attempt: {
    subscription: ServedSubscription;
    delivery: DueDelivery;
    signal: AbortSignal;
  }): Promise<void>;
  /** There is room again. */
  onEnd(): void;
}): RunningAttempts {
  const { settings, logger, make, onEnd } = options;
  const hosts = new Map<string, number>();
  const running = new Set<Promise<void>>();

  const measureRoom = (lane: Lane) => {
    const ofHost = lane.host === undefined ? 0 : (hosts.get(lane.host) ?? 0);
    return Math.min(
      measureFree(lane, settings),
      settings.perHost - ofHost,
      settings.perWorker - running.size,
    );
  };

  const attend = async (lane: Lane, attempt: Parameters<typeof make>[0]) => {
    const { subscription, delivery, signal } = attempt;
    const host = new URL(subscription.url).hostname;
    lane.inFlight.set(delivery.id, { isFirst: delivery.isFirst });
    hosts.set(host, (hosts.get(host) ?? 0) + 1);
    try {
      await make(attempt);
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error, delivery: delivery.id }, 'an attempt was not recorded');
    } finally {
      lane.inFlight.delete(delivery.id);
      const left = (hosts.get(host) ?? 1) - 1;
      if (left > 0) hosts.set(host, left);
      else hosts.delete(host);
      lane.isWanted = true;
    }
  };

  return {
    measureRoom,
    begin(lane, { subscription, due, signal }) {
      lane.failuresInRow = subscription.failuresInRow;
      lane.host = new URL(subscription.url).hostname;
      if (due.length > 0) lane.idleLooks = 0;
      const room = measureRoom(lane);
      // Whatever is left over is looked for again as soon as there is room.
      if (due.length > room) lane.isWanted = true;
      for (const delivery of chooseDeliveries(lane, due, room)) {
        const attempt = attend(lane, { subscription, delivery, signal }).finally(() => {
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

import type pg from 'pg';
import type { Logger } from 'pino';
import type { ClientProfile } from '../config/clientProfile.ts';
import type { WebhookSettings } from '../config/webhookSettings.ts';
import { channels } from '../database/channels.ts';
import { listen } from '../database/listen.ts';
import type { DeliveryStatus } from '../database/tables/webhooks.ts';
import type { Cipher } from '../encryption/cipher.ts';
import { openWorkerLease } from '../jobs/workerLease.ts';
import { createRepeater } from '../relay/repeater.ts';
import { faultPoint } from '../supervision/faultPoint.ts';
import { continueTrace } from '../tracing/tracing.ts';
import { type AttemptOutcome, attemptDelivery } from './attemptDelivery.ts';
import { findDueSubscriptions, leaveSeats, takeSeats } from './deliverySeats.ts';
import {
  type DueDelivery,
  findDueDeliveries,
  readSubscriptions,
  type ServedSubscription,
} from './dueDeliveries.ts';
import { chooseDeliveries, createLane, isIdle, type Lane, measureFree } from './lane.ts';
import { giveUpDeliveries } from './recordResults.ts';
import { disabledReason } from './requireActive.ts';
import { createResultRecorder } from './resultRecorder.ts';
import { judgeAttempt } from './retrySchedule.ts';
import { readSigningSecrets } from './secrets.ts';
import { signAttempt } from './sign.ts';
import type { TargetRules } from './targetRules.ts';
import { createWebhookAgent } from './webhookAgent.ts';

export type DelivererOptions = {
  /** Takes up to three connections out of it. */
  pool: pg.Pool;
  /** The same database, for the connection that listens. */
  databaseUrl: string;
  cipher: Cipher;
  settings: WebhookSettings;
  profile: ClientProfile;
  rules: TargetRules;
  logger: Logger;
  /** Called for every attempt that has ended. */
  onAttempt?(attempt: { status: DeliveryStatus; seconds: number }): void;
  /** Milliseconds since 1970, by which deliveries are due and signed. */
  now?(): number;
  /** How often what is due is looked for, whatever notifications say. */
  pollMs?: number;
  /** How long what this worker attends to is left to it after it has died. */
  leaseMs?: number;
  /** Certificate authorities to trust in place of the public ones. */
  ca?: string;
};

export type Deliverer = {
  /** Resolves once notifications arrive. */
  ready: Promise<void>;
  /** Begins no other attempt, and waits some seconds for those that run. One that takes longer is made again elsewhere. */
  close(): Promise<void>;
};

const defaultPollMs = 1_000;
const closingGraceMs = 4_000;
const userAgent = 'agreements-service-webhooks/1';

/**
 * Attempts deliveries from now until it is closed: each at least once, and none twice at a time, whatever is killed when. Any
 * number of processes may do so at once. Each attends to some of the subscriptions, so that first attempts of one record go out in
 * the order of its events, one after the other; a retry holds none of them back. A subscription, and a host, has a limit of what is
 * under way, so that a slow or dead one takes nothing from the others.
 */
export async function createDeliverer(options: DelivererOptions): Promise<Deliverer> {
  const { pool, settings, rules, logger, now = Date.now, pollMs = defaultPollMs } = options;
  const agent = createWebhookAgent({ rules, timeoutMs: settings.timeoutMs, ca: options.ca });
  const recorder = createResultRecorder({ pool, logger });
  const hosts = new Map<string, number>();
  const running = new Set<Promise<void>>();
  let lanes = new Map<string, Lane>();
  let epoch = new AbortController();
  let isClosed = false;

  const lease = await openWorkerLease({
    pool,
    logger,
    leaseMs: options.leaseMs,
    onLost() {
      // Others attend to these subscriptions from now on.
      epoch.abort(new Error('the lease of the worker was lost'));
      epoch = new AbortController();
      lanes = new Map();
      recorder.drop();
    },
  });

  const want = (id: string) => {
    const lane = lanes.get(id) ?? createLane(id);
    lane.isWanted = true;
    lanes.set(id, lane);
  };
  const freeOf = (lane: Lane) => {
    const ofHost = lane.host === undefined ? 0 : (hosts.get(lane.host) ?? 0);
    return Math.min(
      measureFree(lane, settings),
      settings.perHost - ofHost,
      settings.perWorker - running.size,
    );
  };

  const pass = async () => {
    if (!lease.isHeld() || isClosed) return;
    const { id: workerId } = lease;
    const present = lanes;
    const left = [...present.values()].filter(isIdle).map(({ id }) => id);
    for (const id of left) present.delete(id);
    if (left.length > 0) await leaveSeats(pool, workerId, left);
    const unseated = [...present.values()].filter(({ isWanted, isSeated }) => isWanted && !isSeated);
    if (unseated.length > 0) {
      const ids = unseated.map(({ id }) => id);
      const taken = new Set(await takeSeats(pool, workerId, ids));
      for (const lane of unseated) {
        lane.isSeated = taken.has(lane.id);
        if (!lane.isSeated) present.delete(lane.id);
      }
    }
    const open = [...present.values()].filter((lane) => lane.isWanted && lane.isSeated && freeOf(lane) > 0);
    if (open.length === 0) return;
    for (const lane of open) lane.isWanted = false;
    try {
      await attendTo(open, present);
    } catch (error) {
      for (const lane of open) lane.isWanted = true;
      throw error;
    }
  };

  const attendTo = async (open: readonly Lane[], present: Map<string, Lane>) => {
    const inFlight = [...present.values()].flatMap((lane) => [...lane.inFlight.keys()]);
    const [subscriptions, due] = await Promise.all([
      readSubscriptions(
        pool,
        open.map(({ id }) => id),
      ),
      findDueDeliveries(pool, {
        wanted: open.map((lane) => ({ id: lane.id, free: Math.max(1, freeOf(lane)) })),
        inFlight,
        now: new Date(now()),
      }),
    ]);
    if (present !== lanes || !lease.isHeld() || isClosed) return;
    const bySubscription = Map.groupBy(due, ({ subscriptionId }) => subscriptionId);
    const disabled: string[] = [];
    for (const lane of open) {
      const subscription = subscriptions.get(lane.id);
      if (!subscription) continue;
      if (!subscription.isActive) disabled.push(lane.id);
      else begin(lane, subscription, bySubscription.get(lane.id) ?? []);
    }
    if (disabled.length > 0)
      await giveUpDeliveries(pool, {
        subscriptionIds: disabled,
        inFlight,
        reason: disabledReason,
        now: new Date(now()),
      });
  };

  const begin = (lane: Lane, subscription: ServedSubscription, due: readonly DueDelivery[]) => {
    lane.failuresInRow = subscription.failuresInRow;
    lane.host = new URL(subscription.url).hostname;
    if (due.length > 0) lane.idleLooks = 0;
    const free = freeOf(lane);
    // Whatever is left over is looked for again as soon as there is room.
    if (due.length > free) lane.isWanted = true;
    for (const delivery of chooseDeliveries(lane, due, free)) {
      const attempt = attend(lane, subscription, delivery).finally(() => running.delete(attempt));
      running.add(attempt);
    }
  };

  const attend = async (lane: Lane, subscription: ServedSubscription, delivery: DueDelivery) => {
    const { signal } = epoch;
    const host = new URL(subscription.url).hostname;
    lane.inFlight.set(delivery.id, { isFirst: delivery.isFirst });
    hosts.set(host, (hosts.get(host) ?? 0) + 1);
    try {
      await attemptAndRecord(subscription, delivery, signal);
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error, delivery: delivery.id }, 'an attempt was not recorded');
    } finally {
      lane.inFlight.delete(delivery.id);
      const left = (hosts.get(host) ?? 1) - 1;
      if (left > 0) hosts.set(host, left);
      else hosts.delete(host);
      lane.isWanted = true;
      passes.wake();
    }
  };

  const attemptAndRecord = async (
    subscription: ServedSubscription,
    delivery: DueDelivery,
    signal: AbortSignal,
  ) => {
    const startedAt = new Date(now());
    faultPoint('beforeAttempt');
    const outcome = await traceAttempt(subscription, delivery, { startedAt, signal });
    faultPoint('afterAttempt');
    const endedAt = new Date(startedAt.getTime() + outcome.durationMs);
    const number = delivery.attemptCount + 1;
    const { attemptLimit } = delivery;
    const { responseStatus } = outcome;
    const verdict = judgeAttempt({ responseStatus, number, limit: attemptLimit, endedAt }, settings);
    const error = verdict.status === 'succeeded' ? undefined : describeFailure(outcome);
    const { id: deliveryId, subscriptionId, dueAt } = delivery;
    const facts = { deliveryId, subscriptionId, number, dueAt, startedAt, endedAt };
    options.onAttempt?.({ status: verdict.status, seconds: outcome.durationMs / 1_000 });
    logger.debug({ delivery: deliveryId, number, ...verdict, error }, 'attempted a delivery');
    signal.throwIfAborted();
    await recorder.record({ ...facts, outcome, verdict, error });
    faultPoint('afterResultCommit');
  };

  /** What is sent has no word of the trace: receivers are others. */
  const traceAttempt = (
    subscription: ServedSubscription,
    delivery: DueDelivery,
    running: { startedAt: Date; signal: AbortSignal },
  ): Promise<AttemptOutcome> => {
    const { traceParent } = delivery;
    const attributes = {
      'http.request.method': 'POST',
      'server.address': new URL(subscription.url).hostname,
      'agreements.event.id': delivery.eventId,
      'agreements.delivery.id': delivery.id,
      'agreements.delivery.attempt': delivery.attemptCount + 1,
    };
    return continueTrace({ name: 'deliver event', kind: 'CLIENT', traceParent, attributes }, async (span) => {
      const outcome = await attempt(subscription, delivery, running);
      const { responseStatus: status } = outcome;
      const isTaken = status !== undefined && status >= 200 && status < 300;
      span.note({
        'http.response.status_code': status,
        ...(!isTaken && { 'error.type': status === undefined ? 'no_answer' : String(status) }),
      });
      return outcome;
    });
  };

  const attempt = async (
    subscription: ServedSubscription,
    delivery: DueDelivery,
    { startedAt, signal }: { startedAt: Date; signal: AbortSignal },
  ): Promise<AttemptOutcome> => {
    const body = Buffer.from(delivery.body);
    let signed: Record<string, string>;
    try {
      signed = signAttempt({
        eventId: delivery.eventId,
        body,
        at: startedAt,
        secrets: readSigningSecrets(subscription, options.cipher, startedAt),
        profile: options.profile,
      });
    } catch (error) {
      logger.error({ err: error, subscription: subscription.id }, 'a delivery cannot be signed');
      const failure = 'the service cannot sign it';
      return { durationMs: 0, responseStatus: undefined, responseExcerpt: undefined, error: failure };
    }
    return attemptDelivery(agent, {
      url: subscription.url,
      headers: { 'content-type': 'application/json', 'user-agent': userAgent, ...signed },
      body,
      timeoutMs: settings.timeoutMs,
      responseBytes: settings.responseBytes,
      signal,
    });
  };

  const look = async () => {
    if (!lease.isHeld() || isClosed) return;
    const { id: workerId } = lease;
    for (const id of await findDueSubscriptions(pool, workerId, new Date(now()))) want(id);
    for (const lane of lanes.values()) if (lane.inFlight.size === 0) lane.idleLooks++;
    passes.wake();
  };

  const passes = createRepeater({ what: 'delivering', work: pass, pauseMs: () => undefined, logger });
  const looks = createRepeater({
    what: 'looking for due deliveries',
    work: look,
    pauseMs: () => pollMs,
    logger,
  });
  const listener = listen({
    url: options.databaseUrl,
    channels: [channels.deliveryDue],
    onNotification(_channel, id) {
      want(id);
      passes.wake();
    },
    onConnected: () => looks.wake(),
    logger,
  });
  looks.wake();

  return {
    ready: listener.ready,
    async close() {
      isClosed = true;
      await listener.close();
      await Promise.all([looks.close(), passes.close()]);
      const grace = setTimeout(() => {
        epoch.abort(new Error('the worker is closing'));
        recorder.drop();
      }, closingGraceMs);
      await Promise.all(running);
      clearTimeout(grace);
      await recorder.close();
      await leaveSeats(pool, lease.id, [...lanes.keys()]);
      await lease.close();
      await agent.destroy();
    },
  };
}

function describeFailure({ responseStatus, error }: AttemptOutcome): string {
  if (responseStatus === undefined) return error ?? 'the connection failed';
  if (responseStatus >= 300 && responseStatus < 400)
    return `the receiver answered with status ${responseStatus}; redirects are not followed`;
  return `the receiver answered with status ${responseStatus}`;
}

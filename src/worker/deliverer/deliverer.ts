import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { ClientProfile } from '../../platform/config/clientProfile.ts';
import type { WebhookSettings } from '../../platform/config/webhookSettings.ts';
import { channels } from '../../platform/database/channels.ts';
import { drizzleOptions } from '../../platform/database/database.ts';
import { listen } from '../../platform/database/listen.ts';
import type { DeliveryStatus } from '../../platform/database/tables/webhooks.ts';
import type { Cipher } from '../../platform/encryption/cipher.ts';
import { failWaiting } from '../../records/webhooks/failWaiting.ts';
import type { TargetRules } from '../../records/webhooks/targetRules.ts';
import { createRepeater } from '../leases/repeater.ts';
import { openWorkerLease } from '../leases/workerLease.ts';
import { followDatabaseClock } from './databaseClock.ts';
import { readBodies, takeReadable } from './deliveryBodies.ts';
import { findDueSubscriptions } from './deliverySeats.ts';
import { findDueDeliveries, readSubscriptions } from './dueDeliveries.ts';
import type { Lane } from './lane.ts';
import { createLanes } from './lanes.ts';
import { makeAttempt } from './makeAttempt.ts';
import { createResultRecorder } from './resultRecorder.ts';
import { type Chosen, createRunningAttempts } from './runningAttempts.ts';
import { createWebhookAgent } from './webhookAgent.ts';

export type DelivererOptions = {
  /** Takes up to three connections from it. */
  pool: pg.Pool;
  /** The same database, for the listening connection. */
  databaseUrl: string;
  cipher: Cipher;
  settings: WebhookSettings;
  profile: ClientProfile;
  rules: TargetRules;
  logger: Logger;
  /** Called after every attempt. */
  onAttempt?(attempt: { status: DeliveryStatus; seconds: number }): void;
  /** Called for every attempt that cannot be signed. */
  onUnsigned?(): void;
  /** Milliseconds since 1970, for due times and signatures. Default: the database's. */
  now?(): number;
  /** How often due deliveries are polled, in addition to notifications. */
  pollMs?: number;
  /** How long a dead worker keeps its subscriptions. */
  leaseMs?: number;
  /** Certificate authorities to trust instead of the public ones. */
  ca?: string;
};

export type Deliverer = {
  /** Resolves once notifications arrive. */
  ready: Promise<void>;
  /**
   * Starts no more attempts, and waits some seconds for the running ones. An attempt that takes longer is
   * repeated by another worker.
   */
  close(): Promise<void>;
};

const defaultPollMs = 1_000;
const closingGraceMs = 4_000;

/**
 * Attempts deliveries until it is closed: each at least once, and none twice at the same time, whatever
 * process is killed. Any number of processes may do so at once. Each serves some of the subscriptions, so
 * that first attempts of one record go out in the order of its events, one after the other; a retry delays
 * none of them. Subscriptions and hosts have limits, so that a slow or dead one takes nothing from the
 * others.
 */
export async function createDeliverer(options: DelivererOptions): Promise<Deliverer> {
  const { pool, settings, rules, logger, pollMs = defaultPollMs } = options;
  const { cipher, profile, onAttempt, onUnsigned } = options;
  const database = drizzle(pool, drizzleOptions);
  const { timeoutMs, responseBytes } = settings;
  const agent = createWebhookAgent({ rules, timeoutMs, responseBytes, ca: options.ca });
  const recorder = createResultRecorder({ pool, logger });
  const clock = await followDatabaseClock(pool, logger);
  const { now = clock.now } = options;
  const context = { agent, cipher, settings, profile, logger, recorder, onAttempt, onUnsigned, now };
  const attempts = createRunningAttempts({
    settings,
    logger,
    make: (attempt) => makeAttempt(context, attempt),
    onEnd: () => passes.wake(),
  });
  const beginTerm = () => ({ lanes: createLanes(pool), ending: new AbortController() });
  let term = beginTerm();
  let isClosed = false;

  const lease = await openWorkerLease({
    pool,
    logger,
    leaseMs: options.leaseMs,
    onLost() {
      // From now on other workers serve these subscriptions.
      term.ending.abort(new Error('the lease of the worker was lost'));
      term = beginTerm();
      recorder.drop();
    },
  });
  const isServing = () => lease.isHeld() && !isClosed;

  const pass = async () => {
    if (!isServing()) return;
    const present = term;
    const seated = await present.lanes.seat(lease.id);
    const open = seated.filter((lane) => attempts.measureRoom(lane) > 0);
    if (open.length === 0) return;
    for (const lane of open) lane.isWanted = false;
    try {
      await beginDue(open, present);
    } catch (error) {
      for (const lane of open) lane.isWanted = true;
      throw error;
    }
  };

  const beginDue = async (open: readonly Lane[], present: typeof term) => {
    const inFlight = present.lanes.listInFlight();
    const due = await findDueDeliveries(pool, {
      wanted: open.map((lane) => ({
        ...{ id: lane.id, free: Math.max(1, attempts.measureRoom(lane)) },
        ...{ roundAfter: lane.roundAfter, isRoundNext: lane.isRoundNext },
      })),
      inFlight,
      now: new Date(now()),
    });
    // Read afterwards: a delivery from after a change of its subscription never goes out under the settings before it.
    const subscriptions = await readSubscriptions(
      pool,
      open.map(({ id }) => id),
    );
    const bySubscription = Map.groupBy(due, ({ subscriptionId }) => subscriptionId);
    const served = open.flatMap((lane) => {
      const subscription = subscriptions.get(lane.id);
      return subscription ? [{ lane, subscription, due: bySubscription.get(lane.id) ?? [] }] : [];
    });
    await attempt(attempts.choose(served.filter(({ subscription }) => subscription.isActive)), present);
    if (present !== term || !isServing()) return;
    const disabled = served.filter(({ subscription }) => !subscription.isActive).map(({ lane }) => lane);
    if (disabled.length > 0) await giveUp(disabled, inFlight);
  };

  /** Reads the bodies of as many as memory allows, and begins these; the next pass takes the others. */
  const attempt = async (chosen: readonly Chosen[], present: typeof term) => {
    const readable = takeReadable(chosen);
    const bodies = await readBodies(
      pool,
      readable.map(({ delivery }) => delivery.eventId),
    );
    if (present !== term || !isServing()) return;
    const { signal } = present.ending;
    for (const { lane, subscription, delivery } of readable) {
      const body = bodies.get(delivery.eventId);
      if (body) attempts.begin({ lane, subscription, delivery: { ...delivery, body }, signal });
    }
    const left = chosen.slice(readable.length);
    for (const { lane } of left) lane.isWanted = true;
    if (left.length > 0) passes.wake();
  };

  /** One step in a pass: the deliveries of the other subscriptions have their turn before the next step. */
  const giveUp = async (disabled: readonly Lane[], inFlight: readonly string[]) => {
    const left = await failWaiting(database, {
      subscriptionIds: disabled.map(({ id }) => id),
      inFlight,
      now: new Date(now()),
    });
    for (const lane of disabled) if (left.includes(lane.id)) lane.isWanted = true;
    if (left.length > 0) passes.wake();
  };

  const look = async () => {
    if (!isServing()) return;
    for (const id of await findDueSubscriptions(pool, lease.id, new Date(now()))) term.lanes.want(id);
    term.lanes.age();
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
      term.lanes.want(id);
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
        term.ending.abort(new Error('the worker is closing'));
        recorder.drop();
      }, closingGraceMs);
      await attempts.awaitEnd();
      clearTimeout(grace);
      await recorder.close();
      await clock.close();
      await term.lanes.leave(lease.id);
      await lease.close();
      await agent.destroy();
    },
  };
}

import pino from 'pino';
import { expect, test } from 'vitest';
import { readWebhookSettings } from '../../../src/platform/config/webhookSettings.ts';
import type { DueDelivery } from '../../../src/worker/deliverer/dueDeliveries.ts';
import { createLane, type Lane } from '../../../src/worker/deliverer/lane.ts';
import { createRunningAttempts } from '../../../src/worker/deliverer/runningAttempts.ts';

type Subscriber = { readonly principalId: string; readonly host: string; readonly lane: Lane };

let created = 0;
const subscribe = (principalId: string, host: string): Subscriber => ({
  principalId,
  host,
  lane: createLane(`wh_${++created}`),
});
const subscribeAll = (principalId: string, hosts: readonly string[]) =>
  hosts.map((host) => subscribe(principalId, host));
const hostsOf = (count: number, name: string) =>
  Array.from({ length: count }, (_, at) => `${name}${at}.example`);

/** Attempts of subscribers whose backlogs never end. Each attempt ends when the test says so. */
function startWorker() {
  const underWay: { subscriber: Subscriber; end(): void }[] = [];
  const began: Subscriber[] = [];
  const subscribers: Subscriber[] = [];
  const attempts = createRunningAttempts({
    settings: readWebhookSettings({}),
    logger: pino({ level: 'silent' }),
    make({ subscription: { id } }) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const subscriber = subscribers.find(({ lane }) => lane.id === id);
      if (!subscriber) throw new Error('no such subscriber');
      began.push(subscriber);
      underWay.push({ subscriber, end: resolve });
      return promise;
    },
    onEnd() {},
  });
  const { signal } = new AbortController();
  const fill = () => {
    const open = subscribers.filter(({ lane }) => attempts.measureRoom(lane) > 0);
    for (const chosen of attempts.choose(open.map(buildOffer)))
      attempts.begin({ ...chosen, delivery: { ...chosen.delivery, body: Buffer.alloc(0) }, signal });
  };
  return {
    add(all: readonly Subscriber[]) {
      subscribers.push(...all);
      fill();
    },
    /** Ends the oldest attempt, and fills its place again, `count` times. Returns whose attempts began. */
    async turn(count: number): Promise<readonly Subscriber[]> {
      const before = began.length;
      for (let place = 0; place < count; place++) {
        underWay.shift()?.end();
        await new Promise(setImmediate);
        fill();
      }
      return began.slice(before);
    },
    count: (isCounted: (subscriber: Subscriber) => boolean) =>
      underWay.filter(({ subscriber }) => isCounted(subscriber)).length,
  };
}

let events = 0;
function buildOffer({ principalId, host, lane }: Subscriber) {
  const subscription = {
    ...{ id: lane.id, principalId, url: `https://${host}/hook`, secret: Buffer.alloc(0) },
    ...{ previousSecret: null, previousSecretUntil: null, failuresInRow: 0, isActive: true },
  };
  const due = Array.from({ length: 12 }, (): DueDelivery => {
    const eventId = `evt_${++events}`;
    return {
      ...{ id: `dlv_${events}`, subscriptionId: lane.id, eventId, recordId: null, attemptCount: 0 },
      ...{ attemptLimit: null, traceParent: null, isFirst: true, isOfRound: false },
      ...{ dueAt: null, bodyBytes: 10 },
    };
  });
  return { lane, subscription, due };
}

test('a third principal soon gets its share of a host that the backlogs of two others fill', async () => {
  const worker = startWorker();
  worker.add(['a', 'b'].flatMap((owner) => subscribeAll(owner, Array(3).fill('shared.example'))));
  expect(worker.count(() => true)).toBe(50);
  const late = subscribe('late', 'shared.example');
  worker.add([late]);
  expect(await worker.turn(1)).toEqual([late]);
  await worker.turn(100);
  expect(worker.count((one) => one === late)).toBe(10);
});

test('a principal has at most half of a host, even if nobody else wants a place there', () => {
  const worker = startWorker();
  worker.add(subscribeAll('a', Array(6).fill('shared.example')));
  expect(worker.count(() => true)).toBe(25);
});

test('a sixth principal soon gets its share of a worker that the backlogs of five others fill', async () => {
  const worker = startWorker();
  for (const owner of ['a', 'b', 'c', 'd', 'e']) worker.add(subscribeAll(owner, hostsOf(10, owner)));
  expect(worker.count(() => true)).toBe(500);
  const late = subscribeAll('late', hostsOf(10, 'late'));
  worker.add(late);
  expect((await worker.turn(10)).every(({ principalId }) => principalId === 'late')).toBe(true);
  await worker.turn(1_000);
  expect(worker.count(({ principalId }) => principalId === 'late')).toBeGreaterThanOrEqual(83);
});

test('many hosts give a principal no larger share of a full worker', async () => {
  const worker = startWorker();
  for (const owner of ['a', 'b', 'c', 'd', 'e']) worker.add(subscribeAll(owner, hostsOf(50, owner)));
  expect(worker.count(() => true)).toBe(500);
  const late = subscribe('late', 'late.example');
  worker.add([late]);
  await worker.turn(500);
  expect(worker.count((one) => one === late)).toBe(10);
});

test('a principal with many attempts at other hosts gets its share of a host', async () => {
  const worker = startWorker();
  worker.add(subscribeAll('spread', hostsOf(8, 'spread')));
  for (const owner of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'])
    worker.add([subscribe(owner, 'shared.example')]);
  const late = subscribe('spread', 'shared.example');
  worker.add([late]);
  await worker.turn(300);
  expect(worker.count((one) => one === late)).toBeGreaterThanOrEqual(3);
});

test('a later subscription soon gets its share of its principal’s places', async () => {
  const worker = startWorker();
  worker.add(subscribeAll('a', hostsOf(10, 'a')));
  expect(worker.count(() => true)).toBe(100);
  const late = subscribe('a', 'late.example');
  worker.add([late]);
  expect(await worker.turn(1)).toEqual([late]);
  const sibling = subscribe('a', 'late.example');
  worker.add([sibling]);
  await worker.turn(300);
  expect(worker.count((one) => one === late)).toBeGreaterThanOrEqual(4);
  expect(worker.count((one) => one === sibling)).toBeGreaterThanOrEqual(4);
});

test('if more principals than a host has places have a backlog, each has its turn', async () => {
  const worker = startWorker();
  const subscribers = Array.from({ length: 120 }, (_, at) => subscribe(`p${at}`, 'shared.example'));
  worker.add(subscribers);
  const began = new Set(await worker.turn(130));
  expect(began.size).toBe(120);
});

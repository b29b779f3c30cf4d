import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createDeliveryWorld, type DeliveryWorld } from '../support/deliveryWorld.ts';
import { type Answer, accept, type Received, type Receiver, startReceiver } from '../support/receiver.ts';
import { waitUntil } from '../support/waitUntil.ts';

let world: DeliveryWorld;
const receivers: Receiver[] = [];

beforeAll(async () => {
  world = await createDeliveryWorld();
});
afterEach(async () => {
  await world.reset();
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
afterAll(() => world.close());

async function receive(answer?: Answer): Promise<Receiver> {
  const receiver = await startReceiver(answer);
  receivers.push(receiver);
  return receiver;
}

const createRecords = (count: number) =>
  Promise.all(Array.from({ length: count }, () => world.createRecord()));
/** As many events of each of these records, in turns. */
const repeat = (recordIds: readonly string[], times: number) =>
  Array.from({ length: times }, () => recordIds).flat();

const envelope = z.object({ id: z.string(), data: z.object({ agreementId: z.string() }) });
const parse = ({ body }: Received) => {
  const { id, data } = envelope.parse(JSON.parse(body.toString()));
  return { id, recordId: data.agreementId };
};
/** Which of all deliveries was the first of a record; counts from 1. */
const numberOf = ({ received }: Receiver, recordId: string) =>
  received.findIndex((item) => parse(item).recordId === recordId) + 1;

test.each([
  { busy: 1, pending: 600, width: 10, latest: 10 },
  { busy: 1, pending: 600, width: 1, latest: 4 },
  { busy: 1, pending: 50, width: 1, latest: 4 },
  { busy: 20, pending: 600, width: 10, latest: 50 },
  { busy: 20, pending: 600, width: 1, latest: 45 },
])(
  'an agreement waits for no backlog of $pending of $busy others, with $width attempts at once',
  async ({ busy, pending, width, latest }) => {
    const receiver = await receive();
    await world.subscribe(receiver.url);
    const before = await createRecords(busy);
    const other = await world.createRecord();
    await world.release([...repeat(before, pending / busy), other]);
    await world.startDeliverer({ with: { perSubscription: width } });
    await waitUntil('the other one is delivered', () => numberOf(receiver, other) > 0);
    expect(numberOf(receiver, other)).toBeLessThanOrEqual(latest);
  },
);

test('while the receiver keeps one agreement waiting, all others behind its backlog are served', async () => {
  const slow = await world.createRecord();
  const receiver = await receive((response, received, request) => {
    if (parse(received).recordId !== slow) accept(response, received, request);
  });
  await world.subscribe(receiver.url);
  const others = await createRecords(150);
  await world.release([...repeat([slow], 200), ...repeat(others, 2)]);
  await world.startDeliverer({ with: { timeoutMs: 600_000 } });
  await waitUntil('the others are served', () => receiver.received.length === 301);
  expect(receiver.received.filter((item) => parse(item).recordId === slow)).toHaveLength(1);
});

test('each agreement keeps its order, and one behind the backlogs of many gets its turn', async () => {
  const receiver = await receive();
  const { id } = await world.subscribe(receiver.url);
  const [busy, others] = [await createRecords(3), await createRecords(100)];
  const released = [...repeat(busy, 200), ...repeat(others, 2), ...repeat(busy, 50)];
  const eventIds = await world.release(released);
  await world.startDeliverer();
  await world.awaitDeliveries(id, ({ status }) => status === 'succeeded');
  const received = receiver.received.map(parse);
  for (const recordId of [...busy, ...others])
    expect(received.filter((item) => item.recordId === recordId).map((item) => item.id)).toEqual(
      eventIds.filter((_, at) => released[at] === recordId),
    );
  const last = Math.max(...others.map((recordId) => numberOf(receiver, recordId)));
  expect(last).toBeLessThan(250);
});

import { expect } from 'vitest';
import { z } from 'zod';
import { verifyWebhook } from '../../../../client/src/webhooks/verifyWebhook.ts';
import type { Deliverer } from '../../../../src/worker/deliverer/deliverer.ts';
import { readLockWaits } from '../../../support/lockWaits.ts';
import {
  type Answer,
  accept,
  type Received,
  type Receiver,
  startReceiver,
} from '../../../support/receiver.ts';
import { waitUntil } from '../../../support/waitUntil.ts';
import { releaseTransitions } from '../../support/releaseTransitions.ts';
import { startTestDeliverer } from '../../support/startTestDeliverer.ts';
import { startWebhookService } from '../../support/webhooks.ts';

const env = { WEBHOOK_ALLOWED_TARGETS: '127.0.0.0/8', WEBHOOK_TIMEOUT_MS: '3000' };

export const webhookShape = z.looseObject({ id: z.string(), secret: z.string() });
const outcomeShape = z.object({
  ok: z.boolean(),
  deliveryId: z.string(),
  status: z.string(),
  responseStatus: z.number().optional(),
  error: z.string().optional(),
});
const deliveryShape = z.looseObject({
  id: z.string(),
  eventId: z.string(),
  status: z.string(),
  attemptCount: z.number(),
  attempts: z.array(z.looseObject({ number: z.number() })),
});

/**
 * The API and a worker's deliverer, with one principal that has webhooks. The caller resets it after each
 * test, and closes it.
 */
export async function startDeliveryScene() {
  const service = await startWebhookService(env);
  const owner = await service.createPrincipal();
  let deliverer: Deliverer = await startTestDeliverer(service, env);
  const closings: (() => Promise<unknown>)[] = [];

  return {
    owner,
    database: service.handle.database,
    pool: service.handle.pool,
    /** Registers a function that runs at the end of the test. */
    onReset: (close: () => Promise<unknown>) => closings.push(close),
    async reset(): Promise<void> {
      for (const close of closings.splice(0)) await close();
    },
    /** Runs while nothing is delivered. */
    async withoutDeliverer<Result>(run: () => Promise<Result>): Promise<Result> {
      await deliverer.close();
      return run().finally(async () => {
        deliverer = await startTestDeliverer(service, env);
      });
    },
    /** Releases an event, and runs while the deliverer's query for due deliveries waits for a lock. */
    async whileReadingDue<Result>(run: () => Promise<Result>): Promise<Result> {
      await deliverer.close();
      await releaseTransitions(service, owner, 1);
      const client = await service.handle.pool.connect();
      try {
        await client.query('begin; lock table service.events in access exclusive mode');
        deliverer = await startTestDeliverer(service, env);
        await waitUntil(
          'the deliverer reads what is due',
          async () => (await readLockWaits(service.handle.pool)).length > 0,
        );
        return await run();
      } finally {
        await client.query('rollback');
        client.release();
      }
    },
    async receive(answer: Answer = accept): Promise<Receiver> {
      const receiver = await startReceiver(answer);
      closings.push(receiver.close);
      return receiver;
    },
    /** Creates a webhook through the API, and returns functions that use it. */
    async subscribe(url: string, members: Record<string, unknown> = {}) {
      const created = await owner.call('POST', '/v0/webhooks', { body: { url, ...members } });
      const { id, secret } = webhookShape.parse(created.body.data);
      closings.push(() => owner.call('DELETE', `/v0/webhooks/${id}`));
      const post = async (path: string, body?: unknown) => {
        const options = body === undefined ? {} : { body };
        const answer = await owner.call('POST', `/v0/webhooks/${id}/${path}`, options);
        expect(answer.status, JSON.stringify(answer.body)).toBe(200);
        return answer.body.data;
      };
      const deliveries = async () =>
        z.array(deliveryShape).parse((await owner.call('GET', `/v0/webhooks/${id}/deliveries`)).body.data);
      return {
        id,
        secret,
        post,
        deliveries,
        test: async () => outcomeShape.parse(await post('test')),
        /** Waits until there are deliveries and all of them have this status. */
        settle: (status: string, attemptCount?: number) =>
          waitUntil(`the deliveries are ${status}`, async () => {
            const found = await deliveries();
            const isSettled = found.every(
              (delivery) =>
                delivery.status === status &&
                (attemptCount === undefined || delivery.attemptCount === attemptCount),
            );
            return found.length > 0 && isSettled && found;
          }),
        read: async () => (await owner.call('GET', `/v0/webhooks/${id}`)).body.data,
      };
    },
    release: (count: number) => releaseTransitions(service, owner, count),
    async close(): Promise<void> {
      await deliverer.close();
      await service.close();
    },
  };
}
export type DeliveryScene = Awaited<ReturnType<typeof startDeliveryScene>>;

/** @throws WebhookVerificationError if this secret did not sign it. */
export const verify = ({ body, headers }: Received, secret: string) => verifyWebhook(body, headers, secret);

/** The ids of the received events. Throws like `verify`. */
export const readIds = async (received: readonly Received[], secret: string): Promise<string[]> =>
  (await Promise.all(received.map((one) => verify(one, secret)))).map(({ id }) => id);

/** Headers in the form that the public webhook library takes. */
export function headersOf({ headers }: Received): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

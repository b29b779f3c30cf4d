import { Paged } from '../http/paged.ts';
import type { ReadOptions, Transport, WriteOptions } from '../http/transport.ts';
import type { AnswerOf, BodyOf, PageQuery, Webhook, WebhookDelivery } from '../types.ts';

export type WebhookQuery = PageQuery & { readonly status?: Webhook['status'] | undefined };
export type DeliveryQuery = PageQuery & { readonly status?: WebhookDelivery['status'] | undefined };

/** Subscriptions to events, and their deliveries. */
export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Only this answer shows the secret. */
  create(body: BodyOf<'createWebhook'>, options?: WriteOptions) {
    return this.#transport.data<AnswerOf<'createWebhook'>>({
      path: '/webhooks',
      body,
      once: true,
      options,
    });
  }

  list(query: WebhookQuery = {}, options?: ReadOptions): Paged<Webhook> {
    const { cursor: first, ...rest } = query;
    return new Paged((cursor = first) =>
      this.#transport.json<AnswerOf<'listWebhooks'>>({
        path: '/webhooks',
        query: { ...rest, cursor },
        options,
      }),
    );
  }

  get(id: string, options?: ReadOptions) {
    return this.#transport.data<AnswerOf<'getWebhook'>>({
      path: '/webhooks/{id}',
      ids: { id },
      options,
    });
  }

  update(id: string, body: BodyOf<'updateWebhook'>, options?: WriteOptions) {
    return this.#transport.data<AnswerOf<'updateWebhook'>>({
      method: 'PATCH',
      path: '/webhooks/{id}',
      ids: { id },
      body,
      once: true,
      options,
    });
  }

  /** Ends its deliveries; `update` can reactivate it. */
  disable(id: string, options?: WriteOptions) {
    return this.#transport.data<AnswerOf<'disableWebhook'>>({
      method: 'DELETE',
      path: '/webhooks/{id}',
      ids: { id },
      once: true,
      options,
    });
  }

  /** Sends a signed `webhook.test` at once, and returns the receiver's answer. */
  test(id: string, options?: WriteOptions) {
    return this.#transport.data<AnswerOf<'testWebhook'>>({
      method: 'POST',
      path: '/webhooks/{id}/test',
      ids: { id },
      once: true,
      options,
    });
  }

  listDeliveries(id: string, query: DeliveryQuery = {}, options?: ReadOptions): Paged<WebhookDelivery> {
    const { cursor: first, ...rest } = query;
    return new Paged((cursor = first) =>
      this.#transport.json<AnswerOf<'listWebhookDeliveries'>>({
        path: '/webhooks/{id}/deliveries',
        ids: { id },
        query: { ...rest, cursor },
        options,
      }),
    );
  }

  /** Retries one delivery. */
  redeliver(id: string, deliveryId: string, options?: WriteOptions) {
    return this.#transport.data<AnswerOf<'redeliverWebhook'>>({
      method: 'POST',
      path: '/webhooks/{id}/deliveries/{deliveryId}/redeliver',
      ids: { id, deliveryId },
      once: true,
      options,
    });
  }

  /** Retries everything that has failed since a moment. */
  recover(id: string, body: BodyOf<'recoverWebhook'>, options?: WriteOptions) {
    return this.#transport.data<AnswerOf<'recoverWebhook'>>({
      path: '/webhooks/{id}/recover',
      ids: { id },
      body,
      once: true,
      options,
    });
  }

  /** A new secret, shown once. The old one stays valid for the grace period. */
  rotateSecret(id: string, body: BodyOf<'rotateWebhookSecret'> = {}, options?: WriteOptions) {
    return this.#transport.data<AnswerOf<'rotateWebhookSecret'>>({
      path: '/webhooks/{id}/rotate-secret',
      ids: { id },
      body,
      once: true,
      options,
    });
  }
}

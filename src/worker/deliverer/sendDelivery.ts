import type { Logger } from 'pino';
import type { Dispatcher } from 'undici';
import type { ClientProfile } from '../../platform/config/clientProfile.ts';
import type { WebhookSettings } from '../../platform/config/webhookSettings.ts';
import type { Cipher } from '../../platform/encryption/cipher.ts';
import { readSigningSecrets } from '../../records/webhooks/secrets.ts';
import { type AttemptOutcome, attemptDelivery } from './attemptDelivery.ts';
import type { DeliveryWithBody } from './deliveryBodies.ts';
import type { ServedSubscription } from './dueDeliveries.ts';
import { signWebhook } from './signWebhook.ts';

export type SendContext = {
  agent: Dispatcher;
  cipher: Cipher;
  settings: WebhookSettings;
  profile: ClientProfile;
  /** Called for every attempt that cannot be signed. */
  onUnsigned?: (() => void) | undefined;
  logger: Logger;
};

const userAgent = 'agreements-service-webhooks/1';

/**
 * Signs a delivery at `startedAt` and posts it once. A delivery that cannot be signed fails like one without
 * an answer.
 *
 * @throws the reason of `signal` once that is aborted.
 */
export async function sendDelivery(
  context: SendContext,
  attempt: {
    subscription: ServedSubscription;
    delivery: DeliveryWithBody;
    startedAt: Date;
    signal: AbortSignal;
  },
): Promise<AttemptOutcome> {
  const { agent, cipher, settings, profile, onUnsigned, logger } = context;
  const { subscription, delivery, startedAt, signal } = attempt;
  const { body } = delivery;
  let signed: Record<string, string>;
  try {
    signed = signWebhook({
      eventId: delivery.eventId,
      body,
      at: startedAt,
      secrets: readSigningSecrets(subscription, cipher, startedAt),
      profile,
    });
  } catch (error) {
    logger.error({ err: error, subscription: subscription.id }, 'a delivery cannot be signed');
    onUnsigned?.();
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
}

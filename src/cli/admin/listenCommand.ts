import { setTimeout as delay } from 'node:timers/promises';
import { and, desc, eq } from 'drizzle-orm';
import type { WebhookEvent } from '../../../client/src/webhooks/verifyWebhook.ts';
import { readWebhookSettings } from '../../platform/config/webhookSettings.ts';
import type { Database } from '../../platform/database/database.ts';
import { webhookSubscriptions } from '../../platform/database/tables/webhooks.ts';
import type { Cipher } from '../../platform/encryption/cipher.ts';
import type { Principal } from '../../records/principals/principals.ts';
import { addUsage } from '../../records/quotas/usage.ts';
import { createSubscription } from '../../records/webhooks/createSubscription.ts';
import { getDelivery } from '../../records/webhooks/getDelivery.ts';
import { readSigningSecrets } from '../../records/webhooks/secrets.ts';
import { subscribableEventTypes } from '../../records/webhooks/subscriptionFilters.ts';
import { createTargetRules } from '../../records/webhooks/targetRules.ts';
import { planTest } from '../../records/webhooks/testDelivery.ts';
import { updateSubscription } from '../../records/webhooks/updateSubscription.ts';
import { startWebhookServer } from './webhookServer.ts';

export type ListenOptions = {
  database: Database;
  cipher: Cipher;
  principal: Principal;
  port: number;
  print(text: string): void;
  /** Settles when listening is to end. */
  stopped: Promise<unknown>;
};

export type Heard = { webhookId: string; url: string; events: WebhookEvent[]; refused: number };

const webhookSettings = readWebhookSettings({});
const targetRules = createTargetRules({ allowed: ['127.0.0.1'] });
const testWaitMs = 15_000;
const pollMs = 100;

/**
 * Receives a principal's events on this machine until it is stopped. Creates a webhook for it, or reuses the
 * one of an earlier run with this port, and disables it at the end. Verifies and prints each delivery. A test
 * event at the beginning shows whether the workers may send here at all.
 *
 * @returns what was heard, each event once.
 * @throws AdministrationError if the port is in use; RefusedError `webhook_limit_reached`.
 */
export async function listen(options: ListenOptions): Promise<Heard> {
  const { database, principal, port, print, stopped } = options;
  const url = `http://127.0.0.1:${port}/`;
  const events = new Map<string, WebhookEvent>();
  const secrets = Promise.withResolvers<readonly string[]>();
  let refused = 0;
  const server = await startWebhookServer({
    port,
    secrets: secrets.promise,
    onEvent(event) {
      print(describeEvent(event, events.has(event.id)));
      events.set(event.id, event);
    },
    onRefusal(reason) {
      refused++;
      print(line('✗', `refused: ${reason}`));
    },
  });
  try {
    const webhook = await openWebhook(url, options);
    secrets.resolve(webhook.secrets);
    const reference = { id: webhook.id, principalId: principal.id };
    try {
      print(`Listening on ${url} for ${principal.name}, as ${webhook.id}. Ctrl-C ends it.`);
      let isStopped = false;
      const end = stopped.then(() => {
        isStopped = true;
      });
      await checkWay(reference, { database, print, isOver: (eventId) => isStopped || events.has(eventId) });
      await end;
    } finally {
      await updateSubscription(reference, { status: 'disabled' }, { database, webhookSettings, targetRules });
    }
    return { webhookId: webhook.id, url, events: [...events.values()], refused };
  } finally {
    await server.close();
  }
}

/** An active webhook for all events of the principal, and its secrets. */
async function openWebhook(
  url: string,
  { database, cipher, principal }: ListenOptions,
): Promise<{ id: string; secrets: readonly string[] }> {
  const services = { database, cipher, webhookSettings, targetRules };
  const eventTypes = subscribableEventTypes;
  const [left] = await database
    .select()
    .from(webhookSubscriptions)
    .where(and(eq(webhookSubscriptions.principalId, principal.id), eq(webhookSubscriptions.url, url)))
    .orderBy(desc(webhookSubscriptions.createdAt))
    .limit(1);
  if (left) {
    const reference = { id: left.id, principalId: principal.id };
    await updateSubscription(reference, { status: 'active', eventTypes, filters: null }, services);
    return { id: left.id, secrets: readSigningSecrets(left, cipher, new Date()).all };
  }
  const request = { principalId: principal.id, apiKeyId: null, url, eventTypes };
  const { subscription, secret } = await createSubscription(request, services);
  return { id: subscription.id, secrets: [secret] };
}

/** Sends a test event, and explains the obstacle if it does not arrive. */
async function checkWay(
  reference: { id: string; principalId: string },
  {
    database,
    print,
    isOver,
  }: Pick<ListenOptions, 'database' | 'print'> & { isOver(eventId: string): boolean },
): Promise<void> {
  const attempts = 1;
  const { deliveryId } = await planTest(database, reference, attempts);
  await addUsage(database, [{ principalId: reference.principalId, events: 1 }]);
  const giveUpAt = performance.now() + testWaitMs;
  for (;;) {
    const delivery = await getDelivery(database, { subscriptionId: reference.id, deliveryId });
    if (isOver(delivery.eventId)) return;
    if (delivery.status === 'failed')
      return print(
        line(
          '✗',
          `a test did not arrive: ${delivery.error}. WEBHOOK_ALLOWED_TARGETS of the worker has to name 127.0.0.1`,
        ),
      );
    if (performance.now() > giveUpAt)
      return print(line('✗', 'a test has not arrived yet: is a worker running on this database?'));
    await delay(pollMs);
  }
}

function describeEvent(event: WebhookEvent, isRepeated: boolean): string {
  const headline = `${event.type}  ${event.id}${isRepeated ? '  again' : ''}`;
  const first = line(isRepeated ? '↺' : '✓', `${headline}  ${summarize(event)}`.trimEnd());
  return event.type === 'webhook.test' ? first : `${first}\n    ${plain(JSON.stringify(event.data))}`;
}

function summarize(event: WebhookEvent): string {
  if (event.type === 'agreement.transitioned') {
    const { agreementName, inputId, fromState, toState } = event.data;
    return plain(`${agreementName}: ${fromState || 'nothing'} → ${toState} by ${inputId}`);
  }
  if (event.type === 'agreement.notification.triggered') {
    const { agreementName, ruleId, notification } = event.data;
    return plain(`${agreementName}: ${ruleId}, ${notification.subject}`);
  }
  return '';
}

/** Without colours: the program prints no control characters. */
function line(mark: '✓' | '↺' | '✗', text: string): string {
  const time = new Date().toTimeString().slice(0, 8);
  return `${time} ${mark} ${text}`;
}

/** Without terminal control characters. */
function plain(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ');
}

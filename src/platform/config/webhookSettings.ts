import { z } from 'zod';
import { readSettings, variable } from './readSettings.ts';
import { list, seconds, wholeNumber } from './settingShapes.ts';

const count = (initial: number, least = 1) => wholeNumber({ least }).default(initial);

const host = /^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/i;
const range = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6(), z.string().regex(host)]);

const shape = z.object({
  /** Attempts of a delivery in total. */
  attempts: variable('WEBHOOK_ATTEMPTS', count(5)),
  /** Pause between the first attempt and the second. It doubles with each attempt, up to the longest. */
  backoffMs: variable('WEBHOOK_BACKOFF_SECONDS', seconds(60, { least: 1 })),
  longestBackoffMs: variable('WEBHOOK_BACKOFF_MAX_SECONDS', seconds(3_600, { least: 1 })),
  /** Limit for one attempt, from resolving the name to the end of the answer. */
  timeoutMs: variable('WEBHOOK_TIMEOUT_MS', count(10_000)),
  /** Bytes read of an answer. */
  responseBytes: variable('WEBHOOK_MAX_RESPONSE_BYTES', count(65_536, 0)),
  /** Active subscriptions per principal. */
  subscriptions: variable('WEBHOOK_SUBSCRIPTIONS_MAX', count(50, 0)),
  /** Characters of a receiver's URL. */
  urlLength: variable('WEBHOOK_URL_MAX', count(2_048)),
  /**
   * Concurrent attempts: of one subscription; to one host over all subscriptions (one principal gets at most
   * half); of one principal; the last three of one worker, and of one worker in total.
   */
  perSubscription: variable('WEBHOOK_SUBSCRIPTION_CONCURRENCY', count(10)),
  perHost: variable('WEBHOOK_HOST_CONCURRENCY', count(50)),
  perPrincipal: variable('WEBHOOK_PRINCIPAL_CONCURRENCY', count(100)),
  perWorker: variable('WEBHOOK_CONCURRENCY', count(500)),
  /** Host names, addresses and ranges that need neither https nor a public address. Empty in hosted use. */
  allowedTargets: variable(
    'WEBHOOK_ALLOWED_TARGETS',
    list()
      .refine(
        (items) => items.every((item) => range.safeParse(item).success),
        'expected host names, addresses or ranges such as 10.0.0.0/8, comma-separated',
      )
      .default([]),
  ),
});

/** How webhooks are registered and delivered. */
export type WebhookSettings = Readonly<z.output<typeof shape>>;

/** @throws ConfigurationError naming every variable that is wrong. */
export function readWebhookSettings(env: NodeJS.ProcessEnv): WebhookSettings {
  return readSettings(shape, env);
}

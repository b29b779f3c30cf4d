import { z } from 'zod';
import { ConfigurationError } from './configurationError.ts';

const count = (initial: number, least = 1) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'expected a whole number')
    .transform(Number)
    .refine((value) => value >= least, `expected ${least} or more`)
    .default(initial);

const host = /^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/i;
const range = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6(), z.string().regex(host)]);

const shape = z
  .object({
    WEBHOOK_ATTEMPTS: count(5),
    WEBHOOK_BACKOFF_SECONDS: count(60),
    WEBHOOK_BACKOFF_MAX_SECONDS: count(3_600),
    WEBHOOK_TIMEOUT_MS: count(10_000),
    WEBHOOK_MAX_RESPONSE_BYTES: count(65_536, 0),
    WEBHOOK_SUBSCRIPTIONS_MAX: count(50, 0),
    WEBHOOK_URL_MAX: count(2_048),
    WEBHOOK_SUBSCRIPTION_CONCURRENCY: count(10),
    WEBHOOK_HOST_CONCURRENCY: count(50),
    WEBHOOK_PRINCIPAL_CONCURRENCY: count(100),
    WEBHOOK_CONCURRENCY: count(500),
    WEBHOOK_ALLOWED_TARGETS: z
      .string()
      .default('')
      .transform((text) =>
        text
          .split(',')
          .map((item) => item.trim())
          .filter((item) => item !== ''),
      )
      .refine(
        (items) => items.every((item) => range.safeParse(item).success),
        'expected host names, addresses or ranges such as 10.0.0.0/8, comma-separated',
      ),
  })
  .transform((env) => ({
    attempts: env.WEBHOOK_ATTEMPTS,
    backoffMs: env.WEBHOOK_BACKOFF_SECONDS * 1_000,
    longestBackoffMs: env.WEBHOOK_BACKOFF_MAX_SECONDS * 1_000,
    timeoutMs: env.WEBHOOK_TIMEOUT_MS,
    responseBytes: env.WEBHOOK_MAX_RESPONSE_BYTES,
    subscriptions: env.WEBHOOK_SUBSCRIPTIONS_MAX,
    urlLength: env.WEBHOOK_URL_MAX,
    perSubscription: env.WEBHOOK_SUBSCRIPTION_CONCURRENCY,
    perHost: env.WEBHOOK_HOST_CONCURRENCY,
    perPrincipal: env.WEBHOOK_PRINCIPAL_CONCURRENCY,
    perWorker: env.WEBHOOK_CONCURRENCY,
    allowedTargets: env.WEBHOOK_ALLOWED_TARGETS,
  }));

/** How webhooks are registered and delivered. */
export type WebhookSettings = {
  /** Attempts of a delivery in total. */
  readonly attempts: number;
  /** Pause between the first attempt and the second. It doubles with each attempt, up to the longest. */
  readonly backoffMs: number;
  readonly longestBackoffMs: number;
  /** Limit for one attempt, from resolving the name to the end of the answer. */
  readonly timeoutMs: number;
  /** Bytes read of an answer. */
  readonly responseBytes: number;
  /** Active subscriptions per principal. */
  readonly subscriptions: number;
  /** Characters of a receiver's URL. */
  readonly urlLength: number;
  /**
   * Concurrent attempts: of one subscription; to one host over all subscriptions (one principal gets at most
   * half); of one principal; the last three of one worker, and of one worker in total.
   */
  readonly perSubscription: number;
  readonly perHost: number;
  readonly perPrincipal: number;
  readonly perWorker: number;
  /** Host names, addresses and ranges that need neither https nor a public address. Empty in hosted use. */
  readonly allowedTargets: readonly string[];
};

/** @throws ConfigurationError naming every variable that is wrong. */
export function readWebhookSettings(env: NodeJS.ProcessEnv): WebhookSettings {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
  const result = shape.safeParse(set);
  if (result.success) return result.data;
  throw new ConfigurationError(
    result.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`),
  );
}

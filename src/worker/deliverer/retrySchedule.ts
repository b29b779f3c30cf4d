import type { WebhookSettings } from '../../platform/config/webhookSettings.ts';
import type { DeliveryStatus } from '../../platform/database/tables/webhooks.ts';

export type RetrySettings = Pick<WebhookSettings, 'attempts' | 'backoffMs' | 'longestBackoffMs'>;

/** The status of a delivery after an attempt. */
export type Verdict = {
  status: Exclude<DeliveryStatus, 'pending'>;
  nextAttemptAt: Date | null;
};

/**
 * A status from 200 to 299 ends a delivery with success. A status from 500 to 599, or no answer, is retried
 * while the delivery has attempts left. Any other answer, including redirects, ends it, because a retry would
 * get the same.
 */
export function judgeAttempt(
  attempt: {
    /** Undefined without an answer. */
    responseStatus: number | undefined;
    /** The attempt's number, from 1, and the most attempts of the delivery; null for the configured number. */
    number: number;
    limit: number | null;
    endedAt: Date;
  },
  settings: RetrySettings,
): Verdict {
  const { responseStatus, number, endedAt } = attempt;
  const limit = attempt.limit ?? settings.attempts;
  if (responseStatus !== undefined && responseStatus >= 200 && responseStatus < 300)
    return { status: 'succeeded', nextAttemptAt: null };
  const isWorthwhile = responseStatus === undefined || (responseStatus >= 500 && responseStatus < 600);
  if (!isWorthwhile || number >= limit) return { status: 'failed', nextAttemptAt: null };
  // A delivery that was requested again starts its schedule again.
  const retries = Math.max(0, number - 1 - Math.max(0, limit - settings.attempts));
  const pauseMs = Math.min(settings.backoffMs * 2 ** retries, settings.longestBackoffMs);
  return { status: 'retry_pending', nextAttemptAt: new Date(endedAt.getTime() + pauseMs) };
}

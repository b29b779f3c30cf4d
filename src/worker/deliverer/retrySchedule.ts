import type { WebhookSettings } from '../../platform/config/webhookSettings.ts';
import type { DeliveryStatus } from '../../platform/database/tables/webhooks.ts';

export type RetrySettings = Pick<WebhookSettings, 'attempts' | 'backoffMs' | 'longestBackoffMs'>;

/** What becomes of a delivery by an attempt. */
export type Verdict = {
  status: Exclude<DeliveryStatus, 'pending'>;
  nextAttemptAt: Date | null;
};

/**
 * An answer with a status from 200 to 299 ends a delivery well. One from 500 to 599, and no answer at all, is worth another
 * attempt as long as it has attempts left; any other answer, a redirect among them, would be the same again and ends it.
 */
export function judgeAttempt(
  attempt: {
    /** Undefined where there was no answer. */
    responseStatus: number | undefined;
    /** The attempt's number, from 1, and how many the delivery may have; null for the configured number. */
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
  // A delivery that was asked for again begins its schedule anew.
  const retries = Math.max(0, number - 1 - Math.max(0, limit - settings.attempts));
  const pauseMs = Math.min(settings.backoffMs * 2 ** retries, settings.longestBackoffMs);
  return { status: 'retry_pending', nextAttemptAt: new Date(endedAt.getTime() + pauseMs) };
}

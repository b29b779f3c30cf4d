import type { DeliveryStatus } from '../../platform/database/tables/webhooks.ts';
import { faultPoint } from '../../platform/supervision/faultPoint.ts';
import { continueTrace } from '../../platform/tracing/tracing.ts';
import type { AttemptOutcome } from './attemptDelivery.ts';
import type { DeliveryWithBody } from './deliveryBodies.ts';
import type { ServedSubscription } from './dueDeliveries.ts';
import type { ResultRecorder } from './resultRecorder.ts';
import { judgeAttempt } from './retrySchedule.ts';
import { type SendContext, sendDelivery } from './sendDelivery.ts';

export type AttemptContext = SendContext & {
  recorder: ResultRecorder;
  onAttempt?: ((attempt: { status: DeliveryStatus; seconds: number }) => void) | undefined;
  /** Milliseconds since 1970. */
  now(): number;
};

/**
 * Attempts a delivery once, and resolves when the result is stored. An aborted attempt is not stored, so it
 * is repeated.
 *
 * @throws the reason of `signal` once that is aborted.
 */
export async function makeAttempt(
  context: AttemptContext,
  attempt: { subscription: ServedSubscription; delivery: DeliveryWithBody; signal: AbortSignal },
): Promise<void> {
  const { settings, logger, recorder, now, onAttempt } = context;
  const { delivery, signal } = attempt;
  const startedAt = new Date(now());
  faultPoint('beforeAttempt');
  const outcome = await sendTraced(context, { ...attempt, startedAt });
  faultPoint('afterAttempt');
  const endedAt = new Date(startedAt.getTime() + outcome.durationMs);
  const number = delivery.attemptCount + 1;
  const { attemptLimit } = delivery;
  const { responseStatus } = outcome;
  const verdict = judgeAttempt({ responseStatus, number, limit: attemptLimit, endedAt }, settings);
  const error = verdict.status === 'succeeded' ? undefined : describeFailure(outcome);
  const { id: deliveryId, subscriptionId, dueAt } = delivery;
  const facts = { deliveryId, subscriptionId, number, dueAt, startedAt, endedAt };
  onAttempt?.({ status: verdict.status, seconds: outcome.durationMs / 1_000 });
  logger.debug({ delivery: deliveryId, number, ...verdict, error }, 'attempted a delivery');
  signal.throwIfAborted();
  await recorder.record({ ...facts, outcome, verdict, error });
  faultPoint('afterResultCommit');
}

/** The request carries no trace: receivers are third parties. */
function sendTraced(
  context: SendContext,
  attempt: Parameters<typeof sendDelivery>[1],
): Promise<AttemptOutcome> {
  const { subscription, delivery } = attempt;
  const { traceParent } = delivery;
  const attributes = {
    'http.request.method': 'POST',
    'server.address': new URL(subscription.url).hostname,
    'agreements.event.id': delivery.eventId,
    'agreements.delivery.id': delivery.id,
    'agreements.delivery.attempt': delivery.attemptCount + 1,
  };
  return continueTrace({ name: 'deliver event', kind: 'CLIENT', traceParent, attributes }, async (span) => {
    const outcome = await sendDelivery(context, attempt);
    const { responseStatus: status } = outcome;
    const isTaken = status !== undefined && status >= 200 && status < 300;
    span.note({
      'http.response.status_code': status,
      ...(!isTaken && { 'error.type': status === undefined ? 'no_answer' : String(status) }),
    });
    return outcome;
  });
}

function describeFailure({ responseStatus, error }: AttemptOutcome): string {
  if (responseStatus === undefined) return error ?? 'the connection failed';
  if (responseStatus >= 300 && responseStatus < 400)
    return `the receiver responded with status ${responseStatus}; redirects are not followed`;
  return `the receiver responded with status ${responseStatus}`;
}

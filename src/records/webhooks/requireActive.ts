import { RefusedError } from '../../platform/errors/serviceError.ts';
import type { SubscriptionRow } from './subscriptionResource.ts';

/** Why pending deliveries end as failed when their subscription is disabled. */
export const disabledReason = 'the subscription is disabled';

/** @throws RefusedError `webhook_disabled` for a subscription that nothing is delivered to. */
export function requireActive({ status }: SubscriptionRow): void {
  if (status === 'active') return;
  throw new RefusedError('webhook_disabled', 'The webhook is disabled. Set its status to active first.');
}

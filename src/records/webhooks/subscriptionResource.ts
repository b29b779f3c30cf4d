import { getTableColumns } from 'drizzle-orm';
import { webhookSubscriptions } from '../../platform/database/tables/webhooks.ts';

const { secret: _secret, previousSecret: _previousSecret, ...shown } = getTableColumns(webhookSubscriptions);

/** The shown columns of a subscription: everything except its secrets. */
export const subscriptionColumns = shown;

export type SubscriptionRow = Omit<typeof webhookSubscriptions.$inferSelect, 'secret' | 'previousSecret'>;

/** A subscription in wire form. If a secret is given, it is shown only this time. */
export function toSubscription(row: SubscriptionRow, secret?: string) {
  const { previousSecretUntil } = row;
  const isRotating = previousSecretUntil !== null && previousSecretUntil > new Date();
  return {
    id: row.id,
    principalId: row.principalId,
    createdByApiKeyId: row.createdByApiKeyId ?? undefined,
    url: row.url,
    status: row.status,
    eventTypes: row.eventTypes,
    filters: row.filters ?? undefined,
    secret,
    previousSecretUntil: isRotating ? previousSecretUntil.toISOString() : undefined,
    lastSuccessAt: row.lastSuccessAt?.toISOString(),
    lastFailureAt: row.lastFailureAt?.toISOString(),
    failuresInRow: row.failuresInRow,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

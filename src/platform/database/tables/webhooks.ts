import { sql } from 'drizzle-orm';
import { bigint, bigserial, customType, index, integer, json, text, unique } from 'drizzle-orm/pg-core';
import { instant } from '../columns.ts';
import { oneOf } from '../oneOf.ts';
import { orderedKey } from '../orderedKey.ts';
import { serviceSchema } from '../schema.ts';
import { apiKeys, principals } from './access.ts';
import { events } from './events.ts';
import { records } from './records.ts';

const encrypted = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

export type SubscribableEventType = 'agreement.transitioned' | 'agreement.notification.triggered';

/**
 * Values of one field are alternatives. Different fields must all match. An absent or empty field matches
 * everything.
 */
export type SubscriptionFilters = {
  agreementIds?: readonly string[];
  templateIds?: readonly string[];
  inputIds?: readonly string[];
  fromStates?: readonly string[];
  toStates?: readonly string[];
  ruleIds?: readonly string[];
};

export const subscriptionStatuses = ['active', 'disabled'] as const;

/**
 * One receiver of a principal's events. A disabled one stays for its deliveries. Disabled ones without deliveries are
 * removed if their principal has very many of them.
 */
export const webhookSubscriptions = serviceSchema.table(
  'webhook_subscriptions',
  {
    id: text().primaryKey(),
    principalId: text()
      .notNull()
      .references(() => principals.id),
    createdByApiKeyId: text().references(() => apiKeys.id),
    url: text().notNull(),
    status: text({ enum: subscriptionStatuses }).notNull().default('active'),
    eventTypes: json().$type<readonly SubscribableEventType[]>().notNull(),
    filters: json().$type<SubscriptionFilters>(),
    /** Encrypted, with the id as context; it is needed for signing. */
    secret: encrypted().notNull(),
    /** The secret before the last rotation; valid until `previousSecretUntil`. */
    previousSecret: encrypted(),
    previousSecretUntil: instant(),
    lastSuccessAt: instant(),
    lastFailureAt: instant(),
    failuresInRow: integer().notNull().default(0),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    oneOf('webhook_subscriptions', 'status', subscriptionStatuses),
    index().on(table.principalId, table.createdAt, table.id),
    index('webhook_subscriptions_active').on(table.principalId).where(sql`status = 'active'`),
  ],
);

/** pending: not attempted yet. retry_pending: a failed attempt, and due again at `nextAttemptAt`. */
export const deliveryStatuses = ['pending', 'retry_pending', 'succeeded', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** The owner, for lists of deliveries. */
const listedKey = sql.raw(orderedKey('subscription_id', 'created_at'));

/**
 * The index for going round a subscription's records, for its definition and its queries. A collation of its own keeps
 * the planner from the other indexes, where it would read all that is pending.
 */
export const rounds = {
  key: 'subscription_id collate "POSIX"',
  condition: `status collate "POSIX" = 'pending' and position is not null`,
} as const;

/** One event for one subscription. */
export const deliveries = serviceSchema.table(
  'deliveries',
  {
    id: text().primaryKey(),
    subscriptionId: text()
      .notNull()
      .references(() => webhookSubscriptions.id),
    eventId: text()
      .notNull()
      .references(() => events.id),
    /** The key of first attempts that keep their order; null for tests, which have no order. */
    recordId: text().references(() => records.id),
    /** The event's position in the principal's feed: the order of first attempts. */
    position: bigint({ mode: 'number' }),
    status: text({ enum: deliveryStatuses }).notNull().default('pending'),
    attemptCount: integer().notNull().default(0),
    /**
     * The most attempts in total; null for the configured number. Set for deliveries requested by hand: tests
     * and redeliveries.
     */
    attemptLimit: integer(),
    nextAttemptAt: instant(),
    responseStatus: integer(),
    error: text(),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
    completedAt: instant(),
  },
  (table) => [
    oneOf('deliveries', 'status', deliveryStatuses),
    unique('deliveries_event').on(table.subscriptionId, table.eventId),
    // Lists of all deliveries are merged from the lists of each status.
    index('deliveries_listed').on(listedKey, table.status, table.createdAt, table.id),
    index('deliveries_first').on(table.subscriptionId, table.position).where(sql`status = 'pending'`),
    index('deliveries_rounds')
      .on(sql.raw(rounds.key), table.recordId, table.position)
      .where(sql.raw(rounds.condition)),
    index('deliveries_tests')
      .on(table.subscriptionId, table.createdAt)
      .where(sql`status = 'pending' and position is null`),
    index('deliveries_due')
      .on(table.subscriptionId, table.nextAttemptAt)
      .where(sql`status = 'retry_pending'`),
    index().on(table.eventId),
  ],
);

/**
 * The worker that attempts a subscription's deliveries: one at a time, so that first attempts keep their
 * order. The seat is free if its worker has no lease any more.
 */
export const deliverySeats = serviceSchema.table('delivery_seats', {
  subscriptionId: text()
    .primaryKey()
    .references(() => webhookSubscriptions.id),
  workerId: text().notNull(),
});

/** One attempt at a delivery, and its result. */
export const deliveryAttempts = serviceSchema.table(
  'delivery_attempts',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    deliveryId: text()
      .notNull()
      .references(() => deliveries.id),
    /** Counts from 1. */
    number: integer().notNull(),
    startedAt: instant().notNull(),
    durationMs: integer().notNull(),
    responseStatus: integer(),
    /** The beginning of the receiver's answer. */
    responseExcerpt: text(),
    /** Why there was no answer, or why the answer does not count. */
    error: text(),
  },
  (table) => [index().on(table.deliveryId, table.number)],
);

import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { readWebhookSettings, type WebhookSettings } from '../../src/platform/config/webhookSettings.ts';
import { createDatabase } from '../../src/platform/database/database.ts';
import { createId } from '../../src/platform/database/ids.ts';
import { inTransaction } from '../../src/platform/database/inTransaction.ts';
import { events } from '../../src/platform/database/tables/events.ts';
import type { DeliveryStatus, SubscriptionFilters } from '../../src/platform/database/tables/webhooks.ts';
import { createCipher } from '../../src/platform/encryption/cipher.ts';
import { createSigningSecret, encryptSecret } from '../../src/records/webhooks/secrets.ts';
import { createTargetRules } from '../../src/records/webhooks/targetRules.ts';
import { wakeSubscription } from '../../src/records/webhooks/wakeSubscription.ts';
import {
  createDeliverer,
  type Deliverer,
  type DelivererOptions,
} from '../../src/worker/deliverer/deliverer.ts';
import { planDeliveries } from '../../src/worker/publisher/planDeliveries.ts';
import { insertRecords } from '../service/support/rows.ts';
import { createMigratedDatabase } from './postgres.ts';
import { testEncryptionKey } from './testEncryptionKey.ts';
import { waitUntil } from './waitUntil.ts';

export type DeliveryRow = {
  id: string;
  event_id: string;
  subscription_id: string;
  status: DeliveryStatus;
  attempt_count: number;
  next_attempt_at: Date | null;
  response_status: number | null;
  error: string | null;
  completed_at: Date | null;
};

export type AttemptRow = {
  delivery_id: string;
  number: number;
  started_at: Date;
  duration_ms: number;
  response_status: number | null;
  response_excerpt: string | null;
  error: string | null;
};

const logger = pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' });
export const loopbackRules = createTargetRules({ allowed: ['127.0.0.0/8', '::1', 'localhost'] });

/**
 * A database with one principal, deliverers over it, and functions that release events as the projector does.
 */
export async function createDeliveryWorld() {
  const testDatabase = await createMigratedDatabase();
  const { database, pool, close } = createDatabase({
    url: testDatabase.url,
    applicationName: 'test',
    maxConnections: 10,
    logger,
  });
  const cipher = createCipher([testEncryptionKey]);
  const principalId = createId('prn');
  await pool.query(`insert into service.principals (id, name) values ($1, $1)`, [principalId]);
  const deliverers = new Set<Deliverer>();
  const closings: (() => Promise<void>)[] = [];
  let position = 0;

  /** What one principal subscribes to, and what is released to it. */
  const of = (principalId: string) => ({
    async subscribe(url: string, filters: SubscriptionFilters | null = null) {
      const id = createId('wh');
      const secret = createSigningSecret();
      await pool.query(
        `insert into service.webhook_subscriptions (id, principal_id, url, event_types, filters, secret)
        values ($1, $2, $3, '["agreement.transitioned"]', $4, $5)`,
        [
          id,
          principalId,
          url,
          JSON.stringify(filters),
          encryptSecret(cipher, { subscriptionId: id, secret }),
        ],
      );
      return { id, secret };
    },

    /** Creates a record for events. */
    async createRecord(): Promise<string> {
      const id = createId('agr');
      await insertRecords(pool, { id: principalId }, [{ id }]);
      return id;
    },

    /**
     * Releases events of records in this order, and plans their deliveries, in one transaction. Returns the
     * events' ids.
     */
    async release(recordIds: readonly string[], data: Record<string, unknown> = {}): Promise<string[]> {
      const released = recordIds.map((recordId) => {
        const id = `evt_${randomBytes(32).toString('hex')}`;
        const body = JSON.stringify({
          id,
          type: 'agreement.transitioned',
          apiVersion: '2026-06-01',
          createdAt: new Date().toISOString(),
          data: { agreementId: recordId, note: 'Zwölf Boxkämpfer 🥊', ...data },
        });
        return {
          id,
          principalId,
          recordId,
          position: ++position,
          type: 'agreement.transitioned' as const,
          body,
        };
      });
      await inTransaction(database, async (transaction) => {
        await transaction
          .insert(events)
          .values(
            released.map((event) => ({ ...event, state: 'released' as const, releasedAt: new Date() })),
          );
        await planDeliveries(
          transaction,
          released.map(({ body, ...event }) => ({ ...event, facts: body })),
        );
      });
      return released.map(({ id }) => id);
    },
  });

  return {
    pool,
    database,
    databaseUrl: testDatabase.url,
    principalId,
    cipher,

    /** Starts a deliverer over this database; the test's reset closes it. */
    async startDeliverer(
      options: Partial<DelivererOptions> & { with?: Partial<WebhookSettings> } = {},
    ): Promise<Deliverer> {
      const { with: changed, ...rest } = options;
      const own = createDatabase({
        url: testDatabase.url,
        applicationName: 'deliverer',
        maxConnections: 4,
        plansByIndexes: true,
        logger,
      });
      closings.push(own.close);
      const deliverer = await createDeliverer({
        pool: own.pool,
        databaseUrl: testDatabase.url,
        cipher,
        settings: { ...readWebhookSettings({}), ...changed },
        profile: 'default',
        rules: loopbackRules,
        logger,
        pollMs: 50,
        // Another deliverer takes over only from a closed one, not from one that a busy machine delays.
        leaseMs: 60_000,
        ...rest,
      });
      deliverers.add(deliverer);
      await deliverer.ready;
      return {
        ready: deliverer.ready,
        close: () => {
          deliverers.delete(deliverer);
          return deliverer.close();
        },
      };
    },

    ...of(principalId),

    /** Another principal, with functions of its own. */
    async addPrincipal() {
      const id = createId('prn');
      await pool.query(`insert into service.principals (id, name) values ($1, $1)`, [id]);
      return of(id);
    },

    wake: (subscriptionId: string) => wakeSubscription(database, subscriptionId),

    async readDeliveries(subscriptionId: string): Promise<DeliveryRow[]> {
      const { rows } = await pool.query<DeliveryRow>(
        'select * from service.deliveries where subscription_id = $1 order by position, created_at',
        [subscriptionId],
      );
      return rows;
    },

    async readAttempts(deliveryId: string): Promise<AttemptRow[]> {
      const { rows } = await pool.query<AttemptRow>(
        'select * from service.delivery_attempts where delivery_id = $1 order by id',
        [deliveryId],
      );
      return rows;
    },

    async readSubscription(id: string) {
      const { rows } = await pool.query<{
        last_success_at: Date | null;
        last_failure_at: Date | null;
        failures_in_row: number;
      }>('select * from service.webhook_subscriptions where id = $1', [id]);
      const [row] = rows;
      if (!row) throw new Error('no such subscription');
      return row;
    },

    /** Waits until all deliveries of a subscription satisfy a condition. */
    awaitDeliveries(
      subscriptionId: string,
      isAwaited: (row: DeliveryRow) => boolean,
      what = 'the deliveries are as awaited',
    ): Promise<DeliveryRow[]> {
      return waitUntil(what, async () => {
        const rows = await this.readDeliveries(subscriptionId);
        return rows.length > 0 && rows.every(isAwaited) && rows;
      });
    },

    /**
     * Closes everything that a test started, and ends its subscriptions: a later test's receiver may listen on a
     * port of theirs.
     */
    async reset(): Promise<void> {
      await Promise.all([...deliverers].map((deliverer) => deliverer.close()));
      deliverers.clear();
      await Promise.all(closings.splice(0).map((close) => close()));
      await pool.query(
        `update service.webhook_subscriptions set status = 'disabled' where status = 'active'`,
      );
      await pool.query(
        `update service.deliveries set status = 'failed', next_attempt_at = null, completed_at = now()
        where status in ('pending', 'retry_pending')`,
      );
    },

    async close(): Promise<void> {
      await this.reset();
      await close();
      await testDatabase.drop();
    },
  };
}

export type DeliveryWorld = Awaited<ReturnType<typeof createDeliveryWorld>>;

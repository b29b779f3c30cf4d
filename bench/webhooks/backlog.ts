import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { createCipher } from '../../src/platform/encryption/cipher.ts';
import { createSigningSecret, encryptSecret } from '../../src/records/webhooks/secrets.ts';

const principalId = 'prn_bench';
const records = 25;
let position = 0;

/** The delivered event: a transition as the service announces it. */
export const exampleBody = JSON.stringify({
  id: `evt_${'0'.repeat(64)}`,
  type: 'agreement.transitioned',
  apiVersion: '2026-06-01',
  createdAt: new Date().toISOString(),
  data: {
    agreementId: `agr_${'0'.repeat(32)}`,
    agreementName: 'Mural commission for the school hall',
    templateId: 'did:template:mural-commission',
    fromState: 'SKETCH_IN_REVIEW',
    toState: 'PAINTING',
    inputId: 'approveSketch',
    sequence: 5,
  },
});

/** A principal and the records of its events. */
export async function seedPrincipal(pool: pg.Pool): Promise<void> {
  await pool.query('insert into service.principals (id, name) values ($1, $1)', [principalId]);
  await pool.query(
    `insert into service.records (id, principal_id, chain_id, status, display_name, document, doc_hash, template_id, doc_uri,
      participants, observers, contributors, initial_variables, variables)
    select 'agr_' || number, $1, 59141, 'Deployed', 'Benchmark', '{}', '0x', 'did:template:bench', 'x:1', '[]', '[]', '[]', '{}', '{}'
    from generate_series(1, ${records}) as number`,
    [principalId],
  );
}

/** A subscription for each URL; returns their ids. */
export async function subscribeAll(
  pool: pg.Pool,
  { urls, key }: { urls: readonly string[]; key: Buffer },
): Promise<string[]> {
  const cipher = createCipher([key]);
  const ids: string[] = [];
  for (const url of urls) {
    const id = `wh_${randomBytes(16).toString('hex')}`;
    const secret = encryptSecret(cipher, { subscriptionId: id, secret: createSigningSecret() });
    await pool.query(
      `insert into service.webhook_subscriptions (id, principal_id, url, event_types, secret)
      values ($1, $2, $3, '["agreement.transitioned"]', $4)`,
      [id, principalId, url, secret],
    );
    ids.push(id);
  }
  return ids;
}

/** Events with a delivery for each subscription, as if they had just been released. */
export async function fillBacklog(
  pool: pg.Pool,
  { subscriptions, events }: { subscriptions: readonly string[]; events: number },
): Promise<void> {
  await pool.query(
    `with released as (
      insert into service.events (id, principal_id, record_id, type, body, state, position, released_at)
      select 'evt_' || number, $1, 'agr_' || (number % ${records} + 1), 'agreement.transitioned', $2, 'released', number, now()
      from generate_series($3::int, $4::int) as number
      returning id, record_id, position
    )
    insert into service.deliveries (id, subscription_id, event_id, record_id, position)
    select 'dlv_' || subscription || released.id, subscription, released.id, record_id, position
    from released cross join unnest($5::text[]) as subscription`,
    [principalId, exampleBody, position + 1, position + events, subscriptions],
  );
  position += events;
  await pool.query('analyze service.deliveries, service.events');
}

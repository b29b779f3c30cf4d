import type { TestService } from './testService.ts';
import type { OwnedWebhook } from './webhooks.ts';

/** Inserts a delivery of a new event, as the workers leave it. */
export async function insertDelivery(
  { handle: { pool } }: TestService,
  { id: webhookId, by }: Pick<OwnedWebhook, 'id' | 'by'>,
  row: { status: string; attempts?: number; createdAt?: string },
): Promise<string> {
  const { status, attempts = 0, createdAt = new Date().toISOString() } = row;
  const name = Math.random().toString(36).slice(2);
  await pool.query(
    `insert into service.events (id, principal_id, type, body, state) values ($1, $2, 'webhook.test', '{}', 'released')`,
    [`evt_${name}`, by.id],
  );
  await pool.query(
    `insert into service.deliveries
       (id, subscription_id, event_id, status, attempt_count, response_status, created_at, next_attempt_at)
     values ($1, $2, $3, $4::text, $5, 200, $6::timestamptz,
       case when $4 = 'retry_pending' then now() + interval '1 hour' end)`,
    [
      `dlv_${name}`,
      webhookId,
      `evt_${name}`,
      status,
      attempts,
      `${createdAt}${createdAt.length === 10 ? 'T00:00:00Z' : ''}`,
    ],
  );
  await pool.query(
    `insert into service.delivery_attempts
       (delivery_id, number, started_at, duration_ms, response_status, response_excerpt)
     select $1, number, '2026-01-02T00:00:00Z', 12, 200, 'fine' from generate_series(1, $2::int) as number`,
    [`dlv_${name}`, attempts],
  );
  return `dlv_${name}`;
}

export async function readDeliveryStatuses(
  { handle: { pool } }: TestService,
  { id }: Pick<OwnedWebhook, 'id'>,
): Promise<string[]> {
  const { rows } = await pool.query<{ status: string }>(
    'select status from service.deliveries where subscription_id = $1',
    [id],
  );
  return rows.map(({ status }) => status);
}

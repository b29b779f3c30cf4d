import type pg from 'pg';

/**
 * One principal has very many records, and many principals have few: the database must not plan for the
 * average.
 */
export const crowd = { principals: 2_000, recordsEach: 3 };
export const manyRecords = 100_000;
export const manyInputs = 100_000;

export const firstInstant = Date.UTC(2026, 0, 1);
/** The time between two steps of creation; each step creates two records. */
export const stepMs = 1_000;

/** One principal with much data, and many with little. */
export async function seedPrincipals(pool: pg.Pool, principalId: string): Promise<void> {
  await pool.query('insert into service.principals (id, name) values ($1, $1)', [principalId]);
  await pool.query(
    `insert into service.principals (id, name)
    select 'prn_c' || n, 'crowd ' || n from generate_series(1, $1::int) as n`,
    [crowd.principals],
  );
}

/**
 * One principal with 100,000 records, and 2,000 principals with three each. States follow age, as for
 * agreements that come to an end: the oldest are over and the newest open. Names and times of change are
 * unrelated to the order of creation.
 */
export async function seedRecords(pool: pg.Pool, principalId: string): Promise<void> {
  const insert = `insert into service.records (id, principal_id, chain_id, status, display_name, document, doc_hash,
      template_id, doc_uri, participants, observers, contributors, initial_variables, variables, state, created_at, updated_at)
    select id, principal_id,
      case when n % 5000 = 77 then 84532 when n % 3 = 0 then 11155111 else 59141 end,
      'Deployed', 'Lease ' || lpad(((n::bigint * 7919) % 50021)::text, 5, '0'), '{}', '0x0', 'did:template:lease', 'x:1',
      '[]', '[]', '[]', '{}', '{}',
      case when n % 10000 = 5 then 'DISPUTED' when n > 60000 then 'OFFERED' when n > 20000 then 'ACTIVE' else 'OVER' end,
      to_timestamp($1::float8 / 1000) + (n / 2) * $2::int * interval '1 millisecond',
      to_timestamp($1::float8 / 1000) + ((n::bigint * 104729) % 100003) * $2::int * interval '1 millisecond'`;
  await pool.query(
    `${insert} from (select n, 'agr_m' || lpad(n::text, 6, '0') as id, $3 as principal_id
      from generate_series(1, $4::int) as n) as many`,
    [firstInstant, stepMs, principalId, manyRecords],
  );
  await pool.query(
    `${insert} from (select n * 31 as n, 'agr_c' || n as id, 'prn_c' || 1 + n % $3::int as principal_id
      from generate_series(1, $3::int * $4::int) as n) as few`,
    [firstInstant, stepMs, crowd.principals, crowd.recordsEach],
  );
}

/**
 * One record with a history of 100,000 inputs, ten per block. The principal sent some of them; nearly all are
 * mined. Every other record has one input.
 */
export async function seedInputs(
  pool: pg.Pool,
  { recordId, principalId }: { recordId: string; principalId: string },
): Promise<void> {
  await pool.query(
    `insert into service.inputs (id, record_id, chain_id, agreement_address, input_id, status, user_id, payload, "values",
      position, created_at, updated_at)
    select 'inp_' || md5(n::text), $1, 59141, '0x0',
      case when n % 10000 = 9 then 'object' when n % 4 = 0 then 'accept' else 'pay' end,
      case when n > $3::int - 60 then 'PENDING' when n % 5000 = 3 then 'FAILED' else 'MINED' end,
      case when n > $3::int - 60 or n % 5000 = 3 or n % 50 = 7 then $2 end, '0x', '{}',
      case when n > $3::int - 60 or n % 5000 = 3 then null else n end,
      to_timestamp($4::float8 / 1000) + (n / 10) * $5::int * interval '1 millisecond',
      to_timestamp($4::float8 / 1000) + ((n::bigint * 104729) % 10007) * $5::int * interval '1 millisecond'
    from generate_series(1, $3::int) as n`,
    [recordId, principalId, manyInputs, firstInstant, stepMs],
  );
  await pool.query(
    `insert into service.inputs (id, record_id, chain_id, agreement_address, input_id, status, payload, "values", position)
    select 'inp_o' || substr(id, 5), id, chain_id, '0x0', 'pay', 'MINED', '0x', '{}', 1
    from service.records where id <> $1`,
    [recordId],
  );
}

/** The number of rows after which PostgreSQL's autovacuum first looks at a table. */
const early = 60;

/** The first rows of each table; the stale statistics cover only these. */
export async function seedEarly(pool: pg.Pool, principalId: string): Promise<void> {
  await pool.query(
    `insert into service.records (id, principal_id, chain_id, status, display_name, document, doc_hash, template_id, doc_uri,
      participants, observers, contributors, initial_variables, variables, created_at, updated_at)
    select 'agr_early' || n, $1, 11155111, 'Draft', 'Early', '{}', '0x0', 'did:template:lease', 'x:1', '[]', '[]', '[]', '{}',
      '{}', $2, $2
    from generate_series(1, $3::int) as n`,
    [principalId, new Date(firstInstant - 1), early],
  );
  await pool.query(
    `insert into service.inputs (id, record_id, chain_id, agreement_address, input_id, status, payload, "values", position)
    select 'inp_early' || n, 'agr_early1', 59141, '0x0', 'pay', 'MINED', '0x', '{}', n + 1
    from generate_series(1, $1::int) as n`,
    [early],
  );
  await pool.query(
    `insert into service.webhook_subscriptions (id, principal_id, url, event_types, secret)
    values ($1, $2, 'https://example.com', '[]', '')`,
    [manySubscription, principalId],
  );
  await pool.query(
    `insert into service.events (id, principal_id, type, body, state, position)
    select 'evt_early' || n, $1, 'agreement.transitioned', '{}', 'released', n from generate_series(1, $2::int) as n`,
    [principalId, early],
  );
  await pool.query(
    `insert into service.deliveries (id, subscription_id, event_id, position, status)
    select 'dlv_early' || n, $1, 'evt_early' || n, n, 'succeeded' from generate_series(1, $2::int) as n`,
    [manySubscription, early],
  );
}

export const manySubscription = 'wh_many';
export const manyEvents = 100_000;

/**
 * A feed of 100,000 events with some unreleased ones, many feeds of three events, and the feeds' last
 * positions.
 */
export async function seedEvents(pool: pg.Pool, principalId: string): Promise<void> {
  await pool.query(
    `insert into service.events (id, principal_id, type, body, state, position, created_at)
    select 'evt_m' || n, $1, 'agreement.transitioned', '{"id":"evt_m' || n || '"}',
      case when n > $2::int then 'pending' else 'released' end, case when n <= $2::int then n end, to_timestamp(n)
    from generate_series($3::int + 1, $2::int + 500) as n`,
    [principalId, manyEvents, early],
  );
  await pool.query(
    `insert into service.events (id, principal_id, type, body, state, position)
    select 'evt_c' || n, 'prn_c' || 1 + n % $1::int, 'agreement.transitioned', '{}', 'released', 1 + n / $1::int
    from generate_series(0, 3 * $1::int - 1) as n`,
    [crowd.principals],
  );
  await pool.query(
    `insert into service.event_feeds (principal_id, last_position)
    select principal_id, max(position) from service.events group by principal_id`,
  );
}

/**
 * One subscription with a delivery of each event, nearly all failed, and many subscriptions with few
 * deliveries.
 */
export async function seedDeliveries(pool: pg.Pool, principalId: string): Promise<void> {
  await pool.query(
    `insert into service.webhook_subscriptions (id, principal_id, url, event_types, secret)
    select 'wh_c' || n, $1, 'https://example.com', '[]', '' from generate_series(1, $2::int) as n`,
    [principalId, crowd.principals],
  );
  await pool.query(
    `insert into service.deliveries (id, subscription_id, event_id, position, status, created_at)
    select 'dlv_m' || n, $1, 'evt_m' || n, n, case when n > $2::int - 10 then 'pending' when n % 10000 = 7 then 'succeeded' else 'failed' end,
      to_timestamp(n / 3)
    from generate_series($3::int + 1, $2::int) as n`,
    [manySubscription, manyEvents, early],
  );
  await pool.query(
    `insert into service.deliveries (id, subscription_id, event_id, position, status)
    select 'dlv_c' || n, 'wh_c' || 1 + n % $1::int, 'evt_m' || 1000 + n, n, 'succeeded' from generate_series(1, 3 * $1::int) as n`,
    [crowd.principals],
  );
}

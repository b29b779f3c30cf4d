import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pingPong } from '../../bench/pingPong.ts';
import { writeConsistency } from '../../src/api/agreements/consistency.ts';
import { createDatabase, type DatabaseHandle } from '../../src/platform/database/database.ts';
import { migrateDatabase } from '../../src/platform/database/migrateDatabase.ts';
import { type ReadOutcome, readFromReplica } from '../../src/platform/database/reads.ts';
import { NotFoundError } from '../../src/platform/errors/serviceError.ts';
import { createLogger } from '../../src/platform/log/createLogger.ts';
import { serializeAgreement } from '../../src/protocol/index.ts';
import { writeFeedCursor } from '../../src/records/events/feedCursor.ts';
import { createKey } from '../../src/records/principals/apiKeys.ts';
import { setEntitlement } from '../../src/records/principals/entitlements.ts';
import { createPrincipal } from '../../src/records/principals/principals.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { createCall } from './support/call.ts';
import { type ReplicatedPostgres, startReplicatedPostgres } from './support/replicatedPostgres.ts';
import { startTestApi, type TestApi } from './support/testService.ts';

const chainId = 84_532;
const logger = createLogger({ level: 'silent', name: 'test' });

let postgres: ReplicatedPostgres;
let handle: DatabaseHandle;
let api: TestApi;
let principalId: string;
let call: ReturnType<typeof createCall>;
beforeAll(async () => {
  postgres = await startReplicatedPostgres();
  const { primaryUrl, replicaUrl } = postgres;
  await migrateDatabase(primaryUrl);
  handle = createDatabase({ url: primaryUrl, applicationName: 'test', maxConnections: 2, logger });
  const principal = await createPrincipal(handle.database, 'reader');
  principalId = principal.id;
  await setEntitlement(handle.database, { principal: principalId, scope: '*', mode: 'free_allowlist' });
  // The consistency wait is longer than any test.
  const env = { DATABASE_READ_URL: replicaUrl, CONSISTENCY_WAIT_MS: '600000' };
  api = await startTestApi(primaryUrl, { env });
  call = await createCaller();
});
afterAll(async () => {
  await api?.close();
  await handle?.close();
  await postgres?.close();
});

async function createCaller() {
  const { key } = await createKey(handle.database, { principal: principalId, environment: 'testnet' });
  return createCall(api.baseUrl, key);
}

let records = 0;
/** Stores a record in the form of a deployed one. */
async function storeRecord(displayName: string): Promise<string> {
  const id = `agr_${String(++records).padStart(32, '0')}`;
  await handle.pool.query(
    `insert into service.records (id, principal_id, chain_id, address, status, display_name, document, doc_hash,
      template_id, doc_uri, participants, observers, contributors, initial_variables, variables, state, state_block_number)
    values ($1, $2, $3, '0x' || lpad($4, 40, '0'), 'Deployed', $5, $6, '0x' || repeat('0', 64), 'x', 'x:1', '[]', '[]', '[]', '{}', '{}', 'PING', 1)`,
    [id, principalId, chainId, String(records), displayName, serializeAgreement(pingPong)],
  );
  return id;
}

const rename = (id: string, name: string) =>
  handle.pool.query('update service.records set display_name = $2 where id = $1', [id, name]);

async function nameOf(id: string, query = ''): Promise<unknown> {
  const { status, body } = await call('GET', `/v0/agreements/${id}${query}`);
  return status === 200 && typeof body.data === 'object' && body.data && 'displayName' in body.data
    ? body.data.displayName
    : status;
}

const tokenOf = (recordId: string) =>
  writeConsistency([{ chainId, blockNumber: null, recordId, inputId: null }]);

/** Pauses the replica's replay, once it shows everything committed before, and runs the function. */
async function withStillReplica<Result>(run: () => Promise<Result>): Promise<Result> {
  const { rows } = await handle.pool.query('select pg_current_wal_lsn()::text as position');
  await waitUntil('the replica has caught up', async () => {
    const statement = `select pg_last_wal_replay_lsn() >= '${rows[0].position}'::pg_lsn as is_replayed`;
    return (await postgres.askReplica(statement)).rows[0].is_replayed === true;
  });
  await postgres.askReplica('select pg_wal_replay_pause()');
  await waitUntil('its replay is paused', async () => {
    const { rows: states } = await postgres.askReplica('select pg_get_wal_replay_pause_state() as state');
    return states[0].state === 'paused';
  });
  try {
    return await run();
  } finally {
    await postgres.askReplica('select pg_wal_replay_resume()');
  }
}

describe('an API with a read replica', () => {
  test("answers reads from it, and reads with a token only once it shows the token's write", async () => {
    const id = await storeRecord('old');
    await withStillReplica(async () => {
      await rename(id, 'new');
      expect(await nameOf(id)).toBe('old');
      expect((await call('GET', '/v0/agreements')).body.data).toMatchObject([{ id, displayName: 'old' }]);

      let isAnswered = false;
      const answer = nameOf(id, `?consistency=${tokenOf(id)}`).finally(() => {
        isAnswered = true;
      });
      const seen = new Set<string>();
      await waitUntil('the replica is asked again and again how far it is', async () => {
        const { rows } = await postgres.askReplica(
          `select query_start::text as at from pg_stat_activity
           where application_name = 'agreements reads' and query like '%pg_last_wal_replay_lsn%'`,
        );
        for (const { at } of rows) seen.add(at);
        return seen.size > 3;
      });
      expect(isAnswered).toBe(false);
      expect(await nameOf(id)).toBe('old');
      await postgres.askReplica('select pg_wal_replay_resume()');
      expect(await answer).toBe('new');
    });
  });

  test("shows a change of a record's access to a read with the change's token", async () => {
    const id = await storeRecord('to be opened');
    const accessOf = async (query = '') => {
      const { body } = await call('GET', `/v0/agreements/${id}${query}`);
      return z.looseObject({ participantAccess: z.string() }).parse(body.data).participantAccess;
    };
    await withStillReplica(async () => {
      const answer = await call('PATCH', `/v0/agreements/${id}`, { body: { participantAccess: 'read' } });
      expect(answer.status).toBe(200);
      expect(await accessOf()).toBe('none');
      const told = accessOf(`?consistency=${answer.body.meta?.consistency}`);
      await postgres.askReplica('select pg_wal_replay_resume()');
      expect(await told).toBe('read');
    });
  });

  test('knows keys, records and positions of the feed that the replica does not know yet', async () => {
    await withStillReplica(async () => {
      const id = await storeRecord('only just');
      expect(await nameOf(id)).toBe('only just');
      const other = await createCaller();
      expect((await other('GET', `/v0/agreements/${id}/state`)).body.data).toMatchObject({
        state: 'PING',
        acceptedInputs: [{ inputId: 'hit' }],
      });
      await handle.pool.query('insert into service.event_feeds values ($1, 7)', [principalId]);
      const after = writeFeedCursor({ principalId, position: 7 });
      expect((await call('GET', `/v0/events?after=${after}`)).body).toMatchObject({
        data: [],
        pageInfo: { nextCursor: after },
      });
      // A record that does not exist on either side stays unknown.
      expect(await nameOf('agr_0')).toBe(404);
    });
  });

  test("shows an agent all parts of a record as of the agent's token, also from one that lags too far", async () => {
    const { key } = await createKey(handle.database, { principal: principalId, environment: 'testnet' });
    const env = { DATABASE_READ_URL: postgres.replicaUrl, CONSISTENCY_WAIT_MS: '100' };
    const impatient = await startTestApi(postgres.primaryUrl, { env });
    try {
      const id = await storeRecord('with a history');
      const message = await withStillReplica(async () => {
        await handle.pool.query(
          `insert into service.inputs (id, record_id, chain_id, agreement_address, input_id, status, payload, "values")
           select 'inp_' || repeat('7', 32), id, chain_id, address, 'hit', 'PENDING', '\\x', '{}' from service.records
           where id = $1`,
          [id],
        );
        const args = { agreementId: id, include: ['history'], consistency: writeConsistency([]) };
        const response = await fetch(`${impatient.baseUrl}/mcp`, {
          method: 'POST',
          headers: {
            'x-api-key': key,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          },
          body: JSON.stringify({
            ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
            params: { name: 'read_agreement', arguments: args },
          }),
        });
        return response.text();
      });
      expect(JSON.parse(message.slice(message.indexOf('{')))).toMatchObject({
        result: { structuredContent: { history: { inputs: [{ inputId: 'hit' }] } } },
      });
    } finally {
      await impatient.close();
    }
  });

  test('goes on without it, and uses it again when it is back', async () => {
    const id = await storeRecord('before');
    await postgres.killReplica();
    await rename(id, 'after');
    expect(await nameOf(id)).toBe('after');
    expect(await nameOf(id, `?consistency=${tokenOf(id)}`)).toBe('after');
    await postgres.startReplica();
    await withStillReplica(async () => {
      await rename(id, 'later');
      await waitUntil('reads come from it', async () => (await nameOf(id)) === 'after');
    });
    await waitUntil('it has caught up', async () => (await nameOf(id)) === 'later');
  });
});

describe('a read from the replica', () => {
  let replica: DatabaseHandle;
  beforeAll(() => {
    const { replicaUrl: url } = postgres;
    replica = createDatabase({ url, applicationName: 'test', maxConnections: 2, mayBeStandby: true, logger });
  });
  afterAll(() => replica?.close());
  let outcomes: ReadOutcome[] = [];
  const onRead = (outcome: ReadOutcome) => void outcomes.push(outcome);
  const open = (waitMs: number) => {
    outcomes = [];
    return readFromReplica({ primary: handle.pool, replica: replica.pool, waitMs, onRead, logger });
  };
  const nameSource = async (pool: pg.Pool) => (pool === handle.pool ? 'primary' : 'replica');

  test('that is cancelled in favour of the replay is answered by the primary', async () => {
    await handle.pool.query('create table public.crowd as select n from generate_series(1, 1000) as n');
    await withStillReplica(async () => {});
    const reads = open(1_000);
    const answer = reads.run(undefined, async (pool) => {
      if (pool === replica.pool) await pool.query('select count(pg_sleep(20)) from public.crowd where n = 1');
      return nameSource(pool);
    });
    await waitUntil('the query runs', async () => {
      const query = `select 1 from pg_stat_activity where query like 'select count(pg_sleep%' and state = 'active'`;
      return (await postgres.askReplica(query)).rowCount === 1;
    });
    await handle.pool.query('drop table public.crowd');
    expect(await answer).toBe('primary');
    // The cancelled query does not mean that the replica is away.
    expect(await reads.run(undefined, nameSource)).toBe('replica');
    expect(outcomes).toEqual(['cancelled', 'replica']);
  });

  test('that cannot catch up in time is answered by the primary', async () => {
    const reads = open(1);
    // Before the pause, as the database may write to its log at any time.
    const now = await reads.mark();
    await withStillReplica(async () => {
      expect(await reads.run(now, nameSource)).toBe('replica');
      await handle.pool.query('create table public.newest ()');
      const later = await reads.mark();
      expect(await reads.run(later, nameSource)).toBe('primary');
      expect(await reads.run(undefined, nameSource)).toBe('replica');
      expect(outcomes).toEqual(['replica', 'late', 'replica']);
    });
  });

  test('that is refused by both is refused, and one that takes too long is not begun anew', async () => {
    const reads = open(1);
    const refuse = () => reads.run(undefined, () => Promise.reject(new NotFoundError('It is not there.')));
    await expect(refuse()).rejects.toThrow(NotFoundError);
    expect(outcomes).toEqual(['refused']);
    const asked: string[] = [];
    const slow = reads.run(undefined, async (pool) => {
      asked.push(await nameSource(pool));
      const client = await pool.connect();
      try {
        await client.query('set statement_timeout = 1');
        return await client.query('select pg_sleep(20)');
      } finally {
        client.release(true);
      }
    });
    await expect(slow).rejects.toThrow(pg.DatabaseError);
    expect(asked).toEqual(['replica']);
    expect(outcomes).toEqual(['refused']);
  });

  test('of one that is away is answered by the primary', async () => {
    await postgres.killReplica();
    try {
      const reads = open(1);
      expect(await reads.run(undefined, nameSource)).toBe('replica');
      const ask = (pool: pg.Pool) => pool.query('select 1').then(() => nameSource(pool));
      expect(await reads.run(undefined, ask)).toBe('primary');
      // The service does not ask the replica again at once.
      expect(await reads.run(undefined, nameSource)).toBe('primary');
      expect(outcomes).toEqual(['replica', 'away', 'away']);
    } finally {
      await postgres.startReplica();
    }
  });

  test('of a database that is no replica waits for nothing', async () => {
    const { primaryUrl: url } = postgres;
    const other = createDatabase({
      url,
      applicationName: 'test',
      maxConnections: 1,
      mayBeStandby: true,
      logger,
    });
    try {
      const reads = readFromReplica({ primary: handle.pool, replica: other.pool, waitMs: 1, logger });
      expect(await reads.run(await reads.mark(), nameSource)).toBe('replica');
    } finally {
      await other.close();
    }
  });

  // Must run last: it promotes the replica.
  test('that was made the primary waits for nothing', async () => {
    await postgres.askReplica('select pg_promote()');
    const { replicaUrl: url } = postgres;
    const promoted = createDatabase({ url, applicationName: 'test', maxConnections: 2, logger });
    const outcomes: ReadOutcome[] = [];
    try {
      const reads = readFromReplica({
        primary: promoted.pool,
        replica: promoted.pool,
        waitMs: 1,
        onRead: (outcome) => outcomes.push(outcome),
        logger,
      });
      await promoted.pool.query('create table written_since ()');
      expect(await reads.run(await reads.mark(), (pool) => nameSource(pool))).toBe('replica');
      expect(outcomes).toEqual(['replica']);
    } finally {
      await promoted.close();
    }
  });
});

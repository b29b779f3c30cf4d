import { randomBytes } from 'node:crypto';
import pg from 'pg';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDatabase, type DatabaseHandle } from '../../../src/platform/database/database.ts';
import { readTogether } from '../../../src/platform/database/readTogether.ts';
import { runPrepared } from '../../../src/platform/database/runPrepared.ts';
import { describeError } from '../../../src/platform/http/errorResponse.ts';
import { createDatabaseProbe } from '../../../src/platform/operations/databaseProbe.ts';
import { hasPgBouncer, startPgBouncer } from '../../support/pgBouncer.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const logger = pino({ level: 'silent' });
const role = `refused_${randomBytes(6).toString('hex')}`;
let database: TestDatabase;
let administrator: pg.Client;
let name: string;
/** A running process's pool, as a role of its own. */
let handle: DatabaseHandle;
let url: string;
beforeEach(async () => {
  database = await createTestDatabase();
  name = new URL(database.url).pathname.slice(1);
  const server = Object.assign(new URL(database.url), { pathname: '/postgres' });
  administrator = new pg.Client({ connectionString: server.href });
  await administrator.connect();
  await administrator.query(`create role ${role} login password 'first'`);
  await administrator.query(`revoke connect on database ${name} from public`);
  await administrator.query(`grant connect on database ${name} to ${role}`);
  url = Object.assign(new URL(database.url), { username: role, password: 'first' }).href;
  handle = open(url);
});
afterEach(async () => {
  await handle.close();
  await database.drop();
  await administrator.query(`drop role ${role}`);
  await administrator.end();
});

function open(url: string): DatabaseHandle {
  return createDatabase({ url, applicationName: 'refused', maxConnections: 1, logger });
}

const ask = (pool = handle.pool) => runPrepared(pool, 'select 1 as answer', []);
const failureOf = (work: () => Promise<unknown>) => work().catch((error: unknown) => error);
const unavailable = { status: 503, headers: { 'retry-after': '1' } };

/** Some servers trust whoever connects. */
async function asksForPassword(): Promise<boolean> {
  const client = new pg.Client({ connectionString: Object.assign(new URL(url), { password: 'other' }).href });
  const isLetIn = await client.connect().then(
    () => true,
    () => false,
  );
  if (isLetIn) await client.end();
  return !isLetIn;
}

const askAdministrator = (statement: string) =>
  administrator.query(statement.replaceAll('$role', role).replaceAll('$name', name));
const endSessions = () =>
  administrator.query('select pg_terminate_backend(pid, 60000) from pg_stat_activity where usename = $1', [
    role,
  ]);

test.for([
  {
    what: 'the password is another',
    code: '28P01',
    change: `alter role $role password 'second'`,
    mend: `alter role $role password 'first'`,
  },
  {
    what: 'the role may not log in',
    code: '28000',
    change: 'alter role $role nologin',
    mend: 'alter role $role login',
  },
  {
    what: 'the role may not connect',
    code: '42501',
    change: 'revoke connect on database $name from $role',
    mend: 'grant connect on database $name to $role',
  },
  {
    what: 'the role has no connection left',
    code: '53300',
    change: 'alter role $role connection limit 0',
    mend: 'alter role $role connection limit -1',
  },
  {
    what: 'the database has another name',
    code: '3D000',
    change: 'alter database $name rename to $name_moved',
    mend: 'alter database $name_moved rename to $name',
  },
  {
    what: 'the database takes no connections',
    code: '55000',
    change: 'alter database $name allow_connections false',
    mend: 'alter database $name allow_connections true',
  },
])(
  'while $what, a running process answers 503, and afterwards as before',
  async ({ code, change, mend }, context) => {
    if (code === '28P01' && !(await asksForPassword())) context.skip();
    const isThere = createDatabaseProbe(handle.pool);
    await ask();
    await endSessions();
    await askAdministrator(change);
    // The first query may meet the session that was ended.
    const failures = [await failureOf(() => ask()), await failureOf(() => ask())];
    expect(failures.at(-1)).toMatchObject({ code });
    for (const failure of failures) expect(describeError(failure)).toMatchObject(unavailable);
    expect(await isThere()).toBe(false);
    await askAdministrator(mend);
    expect(await ask()).toEqual([{ answer: 1 }]);
    expect(await isThere()).toBe(true);
  },
);

test.each(['role $role', 'database $name'])(
  'sessions opened while the %s is read-only do not stay so',
  async (of) => {
    const takesWrites = createDatabaseProbe(handle.pool);
    await askAdministrator(`alter ${of} set default_transaction_read_only = on`);
    const failure = await failureOf(() => ask());
    expect(failure).toMatchObject({ code: '25006' });
    expect(describeError(failure)).toMatchObject(unavailable);
    expect(await takesWrites()).toBe(false);
    await askAdministrator(`alter ${of} reset default_transaction_read_only`);
    expect(await takesWrites()).toBe(true);
  },
);

test.skipIf(!hasPgBouncer)('while a pooler is refused, a running process answers 503 too', async () => {
  const pooler = await startPgBouncer(url, {
    pool_mode: 'session',
    ignore_startup_parameters: 'extra_float_digits',
    server_login_retry: '1',
  });
  // A pooler may also keep its clients waiting.
  const pooled = createDatabase({
    url: pooler.url,
    applicationName: 'pooled',
    maxConnections: 1,
    answerTimeoutMs: 3_000,
    logger,
  });
  await ask(pooled.pool);
  await askAdministrator('alter role $role nologin');
  await endSessions();
  const failures = [];
  for (let asked = 0; asked < 3; asked++) failures.push(await failureOf(() => ask(pooled.pool)));
  for (const failure of failures) expect(describeError(failure)).toMatchObject(unavailable);
  await askAdministrator('alter role $role login');
  await waitUntil('the pooler is admitted again', () => ask(pooled.pool).catch(() => false));
  await pooled.close();
  await pooler.stop();
});

test.each([
  { read: 'readTogether', run: readTogether },
  { read: 'runPrepared', run: runPrepared },
])('a statement that its session has lost fails $read once, with 503', async ({ run }) => {
  const owner = createDatabase({
    url: database.url,
    applicationName: 'owner',
    maxConnections: 1,
    readsTogether: true,
    logger,
  });
  await owner.pool.query('create table notes (text text)');
  const read = () => run(owner.pool, 'select * from notes', []);
  expect(await read()).toEqual([]);
  await owner.pool.query('deallocate all');
  const lost = await failureOf(read);
  expect(lost).toMatchObject({ code: '26000' });
  expect(describeError(lost)).toMatchObject(unavailable);
  expect(await read()).toEqual([]);
  await owner.pool.query('alter table notes add column author text');
  const outdated = await failureOf(read);
  expect(outdated).toMatchObject({ code: '0A000' });
  expect(describeError(outdated)).toMatchObject(unavailable);
  expect(await read()).toEqual([]);
  await owner.close();
});

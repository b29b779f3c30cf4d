import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSession } from '../../../src/records/sessions/createSession.ts';
import { forgetSessions } from '../../../src/records/sessions/forgetSessions.ts';
import { createLink, noteUse, revokeLink } from '../../../src/records/sharing/manageLinks.ts';
import { createFixture, type Fixture } from '../projector/support/setup.ts';
import { insertRecords } from '../support/rows.ts';

/** The ids of a principal, of its key and of its record are the same here. */
const owner = 'owner';
const [principalId, keyId, recordId] = [owner, owner, owner];

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
  const { pool } = fixture;
  await pool.query('insert into service.principals (id, name) values ($1, $1)', [owner]);
  await pool.query('insert into service.api_keys (id, principal_id, key_hash) values ($1, $1, $1)', [owner]);
  await insertRecords(pool, { id: owner }, [{ id: owner }]);
});
afterAll(() => fixture.close());

const share = async () => {
  const wanted = { principalId, recordId, keyId, may: 'read', expiresInSeconds: 2_592_000 } as const;
  const { link } = await createLink(fixture.database, wanted, 100);
  return link;
};

const insertUses = (linkId: string, count: number) =>
  fixture.pool.query(
    `insert into service.signing_link_uses (link_id, kind, used_at)
    select $1, 'opened', now() - interval '1 hour' from generate_series(1, $2::int)`,
    [linkId, count],
  );

/** Lets time pass for everything in a table. */
const age = (table: string, interval: string) =>
  fixture.pool.query(`update service.${table} set expires_at = expires_at - $1::interval`, [interval]);

const count = async (table: string) => {
  const { rows } = await fixture.pool.query(`select count(*)::int as count from service.${table}`);
  return rows[0]?.count;
};

test('a revoked link is forgotten a day after its end, with all its uses a few at a time', async () => {
  const { pool, database } = fixture;
  await share();
  const { id } = await share();
  await insertUses(id, 2_500);
  const ended = await revokeLink(database, { principalId, recordId, id });
  expect(await revokeLink(database, { principalId, recordId, id })).toEqual(ended);
  expect(await forgetSessions(pool)).toBe(0);
  await pool.query(`
    create function service.refuse_many() returns trigger language plpgsql as $$
    begin
      if (select count(*) from gone) > 1000 then raise exception 'too many rows at once'; end if;
      return null;
    end $$;
    create trigger refuse_many after delete on service.signing_link_uses
    referencing old table as gone for each statement execute function service.refuse_many()`);
  await age('signing_links', '25 hours');
  expect(await forgetSessions(pool)).toBe(1);
  expect(await count('signing_links')).toBe(1);
  expect(await count('signing_link_uses')).toBe(0);
  await pool.query('drop function service.refuse_many cascade');
});

test('a table that cannot be swept keeps no other from being swept', async () => {
  const { pool, database } = fixture;
  const limits = { sessions: 10, sessionIdleSeconds: 60 };
  await createSession(database, { principalId, keyId, capabilities: null }, limits);
  await age('sessions', '2 days');
  await pool.query(`
    insert into service.wallet_challenges (id, wallet, message, expires_at) values ('old', '0x', 'x', now());
    create function service.refuse_all() returns trigger language plpgsql as $$
    begin raise exception 'not now'; end $$;
    create trigger refuse_all before delete on service.sessions
    for each row execute function service.refuse_all()`);
  await expect(forgetSessions(pool)).rejects.toThrow('not now');
  expect(await count('wallet_challenges')).toBe(0);
  await pool.query('drop function service.refuse_all cascade');
  expect(await forgetSessions(pool)).toBe(1);
});

test('a link keeps its hundred last uses', async () => {
  const { pool, database } = fixture;
  const { id: linkId } = await share();
  await insertUses(linkId, 150);
  await noteUse(database, { linkId, kind: 'evidence' });
  const { rows } = await pool.query(
    'select kind from service.signing_link_uses where link_id = $1 order by id desc',
    [linkId],
  );
  expect(rows).toHaveLength(100);
  expect(rows[0]).toEqual({ kind: 'evidence' });
});

test('reads of a link, however many, remove no use that says who has signed', async () => {
  const { pool, database } = fixture;
  const { id: linkId } = await share();
  const wallet = `0x${'1'.repeat(40)}` as const;
  await noteUse(database, { linkId, kind: 'input', wallet, inputId: 'pay' });
  await insertUses(linkId, 150);
  await noteUse(database, { linkId, kind: 'evidence' });
  const { rows } = await pool.query(
    'select kind, input_id from service.signing_link_uses where link_id = $1 order by id',
    [linkId],
  );
  expect(rows).toHaveLength(101);
  expect(rows[0]).toEqual({ kind: 'input', input_id: 'pay' });
});

test('what a wallet signs is one use however often it is sent, and different inputs are different uses', async () => {
  const { pool, database } = fixture;
  const { id: linkId } = await share();
  const wallet = `0x${'1'.repeat(40)}` as const;
  const uses = [
    { linkId, kind: 'input', wallet, inputId: 'pay', at: '2026-01-01T00:00:00.001Z' },
    { linkId, kind: 'input', wallet, inputId: 'pay', at: '2026-01-01T00:00:00.002Z' },
    { linkId, kind: 'input', wallet, inputId: 'end', at: '2026-01-01T00:00:00.001Z' },
    { linkId, kind: 'deployment', wallet },
  ] as const;
  for (const use of [...uses, ...uses, ...uses]) await noteUse(database, use);
  const { rows } = await pool.query(
    'select kind, input_id from service.signing_link_uses where link_id = $1 order by id',
    [linkId],
  );
  expect(rows).toEqual(
    uses.map(({ kind, ...rest }) => ({ kind, input_id: 'inputId' in rest ? rest.inputId : null })),
  );
});

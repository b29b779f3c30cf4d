import pg from 'pg';
import { expect, test } from 'vitest';
import { nameSessions, sessionName } from '../../../src/indexer/runtime/sessions.ts';

const read = (connectionString: string) => {
  const { host, port, database, user, password, ssl } = new pg.Client({ connectionString });
  return { host, port, database, user, password, ssl };
};

test.each([
  'postgres://user:secret@127.0.0.1:5433/agreements',
  'postgres://user:50%off@127.0.0.1/agreements?host=/var/run/postgresql',
  'postgres://user:a%40b@/agreements?host=/var/run/postgresql&port=5433',
  'postgresql://user@127.0.0.1/agreements?sslmode=disable&application_name=operators#note',
])('%s is the same database when its sessions are named', (url) => {
  const name = sessionName('chain_index_0123456789ab', 'ponder');
  const named = nameSessions(url, name);
  expect(read(named)).toEqual(read(url));
  const { connectionParameters }: { connectionParameters?: object } = Object(
    new pg.Client({ connectionString: named, application_name: 'given' }),
  );
  expect(connectionParameters).toMatchObject({ application_name: name, options: '-c jit=off' });
});

test('what an operator sets for sessions stays, and JIT is off', () => {
  const url = 'postgres://user@127.0.0.1/agreements?options=-c%20search_path%3Dpublic';
  const { connectionParameters }: { connectionParameters?: object } = Object(
    new pg.Client({ connectionString: nameSessions(url, 'indexer') }),
  );
  expect(connectionParameters).toMatchObject({ options: '-c search_path=public -c jit=off' });
});

test('a process knows its own sessions, and all that of the lock', () => {
  expect(sessionName('one', 'chains')).toMatch(/^one chains [0-9a-f]{8}$/);
  expect(sessionName('one', 'lock')).toBe('one lock');
});

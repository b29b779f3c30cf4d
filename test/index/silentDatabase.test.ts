import type pg from 'pg';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { long, withClient } from '../../src/indexer/runtime/withClient.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { createSilentProxy } from '../support/silentProxy.ts';

afterEach(() => vi.useRealTimers());

async function openProxy() {
  const database = await createTestDatabase();
  const proxy = await createSilentProxy(database.url);
  onTestFinished(async () => {
    await proxy.close();
    await database.drop();
  });
  return proxy;
}

type Answer = { outcome?: unknown };

/** Asks the database after it has fallen silent, and lets this much time pass. */
async function askInSilence({ statement, passMs }: { statement: pg.QueryConfig; passMs: number }) {
  const { url, fallSilent } = await openProxy();
  const answer: Answer = {};
  const asked = Promise.withResolvers<void>();
  const ended = withClient({ connectionString: url }, async (client) => {
    fallSilent();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const answered = client.query(statement);
    asked.resolve();
    return answered;
  }).then(
    () => 'answered',
    (error: Error) => error.message,
  );
  void ended.then((outcome) => Object.assign(answer, { outcome }));
  await asked.promise;
  await vi.advanceTimersByTimeAsync(passMs);
  await new Promise(setImmediate);
  return answer.outcome;
}

const statement = { text: 'select 1' };

test('a database that falls silent before it answers is given up after 35 seconds', async () => {
  expect(await askInSilence({ statement, passMs: 34_000 })).toBeUndefined();
  vi.useRealTimers();
  expect(await askInSilence({ statement, passMs: 35_000 })).toBe('Query read timeout');
});

test('a long statement is given an hour', async () => {
  expect(await askInSilence({ statement: long('select 1'), passMs: 3_599_000 })).toBeUndefined();
  vi.useRealTimers();
  expect(await askInSilence({ statement: long('select 1'), passMs: 3_600_000 })).toBe('Query read timeout');
});

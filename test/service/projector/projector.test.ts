import { Writable } from 'node:stream';
import pg from 'pg';
import type { Logger } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { channels } from '../../../src/platform/database/channels.ts';
import { createDatabase } from '../../../src/platform/database/database.ts';
import { createLogger } from '../../../src/platform/log/createLogger.ts';
import { createProjector, type Projector } from '../../../src/worker/projector/projector.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { startSceneForEach } from '../support/startSceneForEach.ts';
import { annotate, clone, deployment, input, type Scene, toggle } from './support/scene.ts';
import { chainId, type Fixture, reorgWindow, silent } from './support/setup.ts';

/** Longer than any test, so only notifications can start a fold. */
const never = 600_000;

let fixture: Fixture;
let scene: Scene;
const closings: (() => Promise<unknown>)[] = [];
startSceneForEach((started) => {
  ({ fixture, scene } = started);
});
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

/** A separate projector with its own connections. */
async function startProjector(
  options: { name?: string; pollIntervalMs?: number; logger?: Logger } = {},
): Promise<Projector> {
  const { name = 'projector', pollIntervalMs = never, logger = silent } = options;
  const { url } = fixture;
  const handle = createDatabase({ url, applicationName: name, maxConnections: 3, logger: silent });
  closings.push(handle.close);
  const projector = createProjector({
    pool: handle.pool,
    databaseUrl: url,
    chains: [{ chainId, confirmations: 1, reorgWindow }],
    logger,
    pollIntervalMs,
  });
  closings.push(projector.close);
  await projector.ready;
  return projector;
}

/** A logger whose output is kept line by line. */
function createLog() {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, logger: createLogger({ level: 'info', name: 'test', destination }) };
}

async function listenTo(...names: string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: fixture.url });
  await client.connect();
  closings.push(() => client.end());
  const heard: string[] = [];
  client.on('notification', ({ channel, payload }) => heard.push(`${channel} ${payload}`));
  for (const name of names) await client.query(`listen ${name}`);
  return heard;
}

const isCounted = (recordId: string, inputCount: number) => async () =>
  (await scene.record(recordId)).inputCount === inputCount;

test('it folds when the index notifies, and tells which record and which transaction have changed', async () => {
  const { recordId, transactionId } = await scene.draft();
  await startProjector();
  const heard = await listenTo(channels.recordChanged, channels.transactionChanged, channels.outbox);
  scene.add(deployment());
  await scene.show();
  await waitUntil('both changes are heard', () => heard.length === 2);
  expect(heard.toSorted()).toEqual([`record_changed ${recordId}`, `transaction_changed ${transactionId}`]);
  expect((await scene.record(recordId)).status).toBe('Deployed');

  scene.drop(1);
  scene.add();
  await scene.show();
  await waitUntil('the relay is told to send it again', () => heard.includes(`outbox ${chainId}`));
  expect((await scene.transaction(transactionId)).state).toBe('accepted');
});

test('a record that is asked for by address is looked for at once', async () => {
  scene.add(deployment());
  scene.add(input(toggle('5')));
  await scene.show();
  await startProjector();
  const { recordId } = await scene.askFor(clone);
  await fixture.pool.query('select pg_notify($1, $2)', [channels.recordAwaited, String(chainId)]);
  await waitUntil('the record is there', isCounted(recordId, 1));
});

test('without a notification it looks from time to time', async () => {
  scene.add(deployment());
  await scene.show();
  await startProjector({ pollIntervalMs: 50 });
  const { recordId } = await scene.draft();
  await waitUntil('the record is there', async () => (await scene.record(recordId)).status === 'Deployed');
});

test('on a new database it says once that it waits for the index, and of no error', async () => {
  await fixture.index.removeViews();
  const { recordId } = await scene.draft();
  const { lines, logger } = createLog();
  await startProjector({ pollIntervalMs: 20, logger });
  await waitUntil('it waits', () => lines.length > 0);
  await fixture.index.deploy();
  scene.add(deployment());
  await scene.show();
  await waitUntil('the record is there', async () => (await scene.record(recordId)).status === 'Deployed');
  const waiting = lines.filter((line) => line.includes('; waiting'));
  expect(waiting).toHaveLength(1);
  expect(waiting.join()).toContain('the index is not available yet');
  expect(waiting.join()).not.toContain('does not exist');
});

test('it waits without a word for an index that is not there yet, and while its views are replaced', async () => {
  await fixture.index.removeViews();
  const { recordId } = await scene.draft();
  await startProjector({ pollIntervalMs: 50 });
  await fixture.index.deploy();
  scene.add(deployment());
  await scene.show();
  await waitUntil('the record is there', async () => (await scene.record(recordId)).status === 'Deployed');
  await fixture.index.removeViews();
  await fixture.index.deploy();
  scene.add(input(toggle('5')));
  await scene.show();
  await waitUntil('the input is there', isCounted(recordId, 1));
});

test('two workers at once, whose connections are cut again and again, lose nothing and do nothing twice', async () => {
  const { recordId } = await scene.draft();
  for (const name of ['first worker', 'second worker']) await startProjector({ name, pollIntervalMs: 100 });
  scene.add(deployment());
  const rounds = 40;
  for (let round = 0; round < rounds; round++) {
    scene.add(input(toggle(String(round))), input(annotate(String(round))));
    await scene.show();
    await fixture.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = any($1)`,
      [round % 2 === 0 ? ['first worker'] : ['second worker', 'agreements listener']],
    );
  }
  await waitUntil('everything is folded', isCounted(recordId, 2 * rounds));
  const history = await scene.history(recordId);
  expect(history.map(({ position }) => position)).toEqual(history.map((_, at) => at + 1));
  expect(history).toHaveLength(2 * rounds);
  expect((await scene.record(recordId)).variables.remark).toBe(String(rounds - 1));
});

test('a transaction that somebody else writes at the same moment is settled all the same', async () => {
  const { recordId } = await scene.draft();
  scene.add(deployment());
  await scene.show();
  await startProjector({ pollIntervalMs: 100 });
  await waitUntil('the record is there', async () => (await scene.record(recordId)).status === 'Deployed');
  const busy = new AbortController();
  closings.push(async () => busy.abort());
  const relay = (async () => {
    while (!busy.signal.aborted) {
      await fixture.pool.query(`update service.transactions set updated_at = now() where state <> 'mined'`);
    }
  })();
  const submitted: string[] = [];
  for (let nonce = 0; nonce < 30; nonce++) {
    const { transactionId } = await scene.submit(recordId, toggle('5'), { nonce: BigInt(nonce) });
    submitted.push(transactionId);
    scene.add(input(toggle('5')));
    await scene.show();
  }
  await waitUntil('everything is folded', isCounted(recordId, 30));
  busy.abort();
  await relay;
  for (const id of submitted) expect((await scene.transaction(id)).state).not.toBe('accepted');
});

test('closing waits for the fold that runs, and nothing is folded afterwards', async () => {
  const { recordId } = await scene.draft();
  const projector = await startProjector({ pollIntervalMs: 20 });
  scene.add(deployment());
  await scene.show();
  await projector.close();
  const left = await fixture.pool.query(
    `select count(*)::int as count from pg_locks where locktype = 'advisory' and database = (
       select oid from pg_database where datname = current_database())`,
  );
  expect(left.rows[0].count).toBe(0);
  const { inputCount } = await scene.record(recordId);
  scene.add(input(toggle('5')));
  await scene.show();
  // A projector that still listened would wake up before this client.
  const heard = await listenTo('chain_index_live_query');
  await scene.show();
  await waitUntil('the notification is there', () => heard.length > 0);
  expect((await scene.record(recordId)).inputCount).toBe(inputCount);
});

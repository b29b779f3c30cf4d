import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterEach, expect, test } from 'vitest';
import { runAdmin } from '../../../src/cli/admin/runAdmin.ts';
import { createDatabase } from '../../../src/platform/database/database.ts';
import { createMetrics } from '../../../src/platform/operations/metrics.ts';
import { readEventFacts } from '../../../src/platform/operations/readEventFacts.ts';
import { hashDocument, serializeAgreement } from '../../../src/protocol/document.ts';
import { createProjector } from '../../../src/worker/projector/projector.ts';
import { evaluateAlert } from '../../support/evaluateAlert.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { startSceneForEach } from '../support/startSceneForEach.ts';
import { addressOfClone } from './support/chain.ts';
import { createLamp, type Lamp, lampVariables } from './support/lamp.ts';
import { annotate, bob, clone, deployment, handOver, input, type Scene, toggle } from './support/scene.ts';
import { chainId, createFolder, type Fixture, reorgWindow, silent } from './support/setup.ts';

let fixture: Fixture;
let scene: Scene;
const closings: (() => Promise<unknown>)[] = [];
startSceneForEach((started) => {
  ({ fixture, scene } = started);
});
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

const other = addressOfClone(1);

async function startProjector() {
  const { url } = fixture;
  const handle = createDatabase({ url, applicationName: 'projector', maxConnections: 3, logger: silent });
  closings.push(handle.close);
  const chains = [{ chainId, confirmations: 1, reorgWindow }];
  const projector = createProjector({
    pool: handle.pool,
    databaseUrl: url,
    chains,
    logger: silent,
    pollIntervalMs: 100,
  });
  closings.push(projector.close);
  await projector.ready;
}

/** A lamp whose `annotate` input declares this number of extra fields. */
function createWideLamp(fields: number): Lamp {
  const wide = createLamp('wide');
  const data = Object.fromEntries(Array.from({ length: fields }, (_, at) => [`f${at}`, {}]));
  const agreement = JSON.parse(wide.text);
  Object.assign(agreement.execution.inputs.annotate.data, data);
  const text = serializeAgreement(agreement);
  return { ...wide, text, docHash: hashDocument(text), agreement: createLamp('wide').agreement };
}

const quarantined = async () =>
  (
    await fixture.pool.query<{
      record_id: string;
      phase: string;
      failures: number;
      error: string;
      pause: number;
    }>(
      `select record_id, phase, failures, error, extract(epoch from retry_at - now())::int as pause
      from service.quarantined_records`,
    )
  ).rows;
const hasInputs = (recordId: string, count: number) => async () =>
  (await scene.record(recordId)).inputCount === count;
const retryNow = () =>
  fixture.pool.query(`update service.quarantined_records set retry_at = now() - interval '1 second'`);

/** Runs an admin command, and returns its JSON output. */
async function administer(...words: string[]): Promise<unknown> {
  const printed: string[] = [];
  const print = (text: string) => printed.push(text);
  const env = { DATABASE_URL: fixture.url };
  const code = await runAdmin({ words: [...words, '--json'], env, print, printError: print });
  expect(code, printed.join(' ')).toBe(0);
  return JSON.parse(printed.join(''));
}

/** Whether the alert on quarantined records would fire now, according to a worker's /metrics. */
async function isAlertFiring(): Promise<boolean | undefined> {
  const metrics = createMetrics({ chains: [{ chainId }] });
  metrics.noteEvents(await readEventFacts(fixture.pool));
  return evaluateAlert('AgreementsRecordsQuarantined', await metrics.print()).get(String(chainId));
}

/** Makes every change of the record's history fail. Returns a function that removes the failure. */
async function plantFailure(recordId: string) {
  await fixture.pool.query(`
    create function service.refuse() returns trigger language plpgsql as
      $$ begin if new.record_id = '${recordId}' then raise 'planted'; end if; return new; end $$;
    create trigger refuse before insert or update on service.inputs for each row execute function service.refuse()`);
  return () => fixture.pool.query('drop function if exists service.refuse() cascade');
}

test('many inputs of a document with very many fields leave the event loop to others', async () => {
  const wide = createWideLamp(40_000);
  scene.add(deployment(), deployment({ lamp: wide }));
  for (let count = 0; count < 40; count++)
    scene.add(input(annotate('x'), { agreement: other }), input(toggle('5')));
  await scene.show();
  const hostile = await scene.askFor(other, wide);
  const { recordId } = await scene.askFor(clone);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await startProjector();
  await waitUntil('the history of the other', hasInputs(recordId, 40));
  await waitUntil('the history of the wide document', hasInputs(hostile.recordId, 40));
  delay.disable();
  expect((await scene.record(hostile.recordId)).variables.remark).toBe('x');
  // Parsing the document again for each input took seconds per input.
  expect(delay.max / 1e6).toBeLessThan(2_500);
});

test('a record that cannot be folded is set aside, the others go on, and it catches up when it can', async () => {
  scene.add(deployment(), deployment());
  await scene.show();
  const stuck = await scene.askFor(other);
  const { recordId } = await scene.askFor(clone);
  await startProjector();
  await waitUntil('the deployment', async () => (await scene.record(stuck.recordId)).state === 'dark');
  closings.push(await plantFailure(stuck.recordId));
  expect(await isAlertFiring()).toBe(false);
  scene.add(input(toggle('5')), input(toggle('6'), { agreement: other }));
  scene.add(input(toggle('7')));
  await scene.show();
  await waitUntil('the history of the other', hasInputs(recordId, 2));
  expect(await quarantined()).toMatchObject([
    { record_id: stuck.recordId, phase: 'continue', failures: 1, error: 'planted' },
  ]);
  expect(await scene.record(stuck.recordId)).toMatchObject({ state: 'dark', inputCount: 0 });

  await retryNow();
  await waitUntil('another failure', async () => (await quarantined())[0]?.failures === 2);
  expect((await quarantined())[0]?.pause).toBeGreaterThan(50);
  scene.add(input(toggle('8')), input(toggle('9'), { agreement: other }));
  await scene.show();
  await waitUntil('the history of the other', hasInputs(recordId, 3));

  await closings.pop()?.();
  expect((await readEventFacts(fixture.pool)).quarantined).toEqual([{ chainId, count: 1 }]);
  expect(await isAlertFiring()).toBe(true);
  expect(await administer('quarantine', 'list')).toMatchObject([
    { recordId: stuck.recordId, chainId, failures: 2, error: 'planted' },
  ]);
  expect(await administer('quarantine', 'show', stuck.recordId)).toMatchObject({
    state: 'dark',
    inputCount: 0,
  });
  expect(await administer('quarantine', 'release', stuck.recordId)).toEqual({
    recordId: stuck.recordId,
    chainId,
  });
  await waitUntil('what it lacked', hasInputs(stuck.recordId, 2));
  expect(await scene.record(stuck.recordId)).toMatchObject({ state: 'dark', variables: { brightness: '9' } });
  expect(await quarantined()).toEqual([]);
  expect(await isAlertFiring()).toBe(false);
});

test('a record whose inputs in the index make no sense is set aside by itself', async () => {
  scene.add(deployment(), deployment(), input(toggle('6'), { agreement: other }), input(toggle('5')));
  const stuck = await scene.askFor(other);
  const { recordId } = await scene.askFor(clone);
  await scene.show();
  await fixture.pool.query(
    `update chain_index.inputs set permit_signer = 'nobody' where agreement = '${other.toLowerCase()}'`,
  );
  await startProjector();
  await waitUntil('the history of the other', hasInputs(recordId, 1));
  await waitUntil('the quarantine', async () => (await quarantined()).length === 1);
  expect(await quarantined()).toMatchObject([{ record_id: stuck.recordId, phase: 'begin' }]);
  // The record shows the state from its deployment.
  expect(await scene.record(stuck.recordId)).toMatchObject({ status: 'Deployed', inputCount: 0 });
  expect((await scene.record(stuck.recordId)).stateHash).toMatch(/^0x/);

  await scene.show();
  await retryNow();
  await waitUntil('what it lacked', hasInputs(stuck.recordId, 1));
  expect(await scene.record(stuck.recordId)).toMatchObject({ state: 'lit', variables: { brightness: '6' } });
});

test('inputs that a reorg takes from a quarantined record are gone when it is retried', async () => {
  scene.add(deployment(), deployment());
  scene.add(input(toggle('6'), { agreement: other }));
  await scene.show();
  const stuck = await scene.askFor(other);
  const { recordId } = await scene.askFor(clone);
  await startProjector();
  await waitUntil('the first input', hasInputs(stuck.recordId, 1));
  closings.push(await plantFailure(stuck.recordId));
  scene.add(input(toggle('7'), { agreement: other }));
  await scene.show();
  await waitUntil('the quarantine', async () => (await quarantined()).length === 1);
  scene.drop(2);
  scene.add();
  scene.add(input(toggle('5')));
  scene.add();
  await scene.show();
  await waitUntil('the history of the other', hasInputs(recordId, 1));
  expect(await quarantined()).toMatchObject([{ phase: 'restore' }]);
  await closings.pop()?.();
  await retryNow();
  await waitUntil('what is left to it', hasInputs(stuck.recordId, 0));
  expect(await scene.record(stuck.recordId)).toMatchObject({ state: 'dark', variables: { brightness: '1' } });
});

test('a record with too long payloads in one block is set aside by itself, and caught up with when they are shorter', async () => {
  scene.add(deployment(), deployment());
  scene.add(...Array.from({ length: 23 }, () => input(annotate('x'), { agreement: other })));
  scene.add(input(toggle('5')));
  const stuck = await scene.askFor(other);
  const { recordId } = await scene.askFor(clone);
  await scene.show();
  await fixture.pool.query(
    `update chain_index.inputs set payload = '0x' || repeat('ab', 1500000) where agreement = '${other.toLowerCase()}'`,
  );
  await startProjector();
  await waitUntil('the history of the other', hasInputs(recordId, 1));
  await waitUntil('the quarantine', async () => (await quarantined()).length === 1);
  expect(await quarantined()).toMatchObject([{ record_id: stuck.recordId, failures: 1 }]);
  expect(await scene.record(stuck.recordId)).toMatchObject({ state: 'dark', inputCount: 0 });

  await scene.show();
  await retryNow();
  await waitUntil('what it lacked', hasInputs(stuck.recordId, 23));
  expect(await quarantined()).toEqual([]);
});

/** A record at the end of two inputs, of which a reorg has taken the last one while it was in quarantine. */
async function loseInput() {
  const { recordId } = await scene.draft();
  await fixture.pool.query(
    `update service.records set participant_access = 'read', access_variables = '["holder"]' where id = $1`,
    [recordId],
  );
  await scene.mine(deployment());
  await scene.mine(input(toggle('5')));
  await scene.mine(input(handOver(bob)));
  await fixture.pool.query(
    `insert into service.quarantined_records (record_id, chain_id, phase, error, retry_at)
    values ($1, $2, 'continue', 'planted', now() + interval '1 day')`,
    [recordId, chainId],
  );
  scene.drop(1);
  scene.add();
  await scene.mine(input(toggle('7')));
  return recordId;
}

const readWallets = async (recordId: string) =>
  (await fixture.pool.query('select wallet from service.record_wallets where record_id = $1', [recordId]))
    .rows;

test('a record that lost inputs is restored first, whatever a fold that failed for it before still knows', async () => {
  const recordId = await loseInput();
  expect(await quarantined()).toMatchObject([{ phase: 'restore', failures: 1 }]);
  const { fold } = createFolder(fixture, { condemned: new Map([[recordId, 'failed before']]) });
  await fold();
  expect(await quarantined()).toMatchObject([{ phase: 'restore', failures: 1 }]);
  await retryNow();
  await scene.fold();
  expect(await quarantined()).toEqual([]);
  expect(await scene.record(recordId)).toMatchObject({
    inputCount: 2,
    state: 'dark',
    variables: { ...lampVariables, brightness: '7' },
  });
  expect(await scene.history(recordId)).toMatchObject([{ position: 1 }, { position: 2 }]);
});

test('a wallet that only a lost input has named may not enter while the record waits to be restored', async () => {
  const recordId = await loseInput();
  expect(await scene.record(recordId)).toMatchObject({ variables: { holder: bob } });
  expect(await readWallets(recordId)).toEqual([{ wallet: lampVariables.holder.toLowerCase() }]);
});

test('a record whose deployment fell out is not set aside, whatever a fold has failed for', async () => {
  const { recordId } = await scene.draft();
  await scene.mine();
  await createFolder(fixture, { condemned: new Map([[recordId, 'failed before']]) }).fold();
  expect(await quarantined()).toEqual([]);
});

test('a failed deployment that takes effect while it is in quarantine is no failure any more', async () => {
  const { recordId, transactionId } = await scene.draft();
  const { pool } = fixture;
  await pool.query(`update service.transactions set state = 'failed' where id = $1`, [transactionId]);
  await pool.query(`update service.records set error = '{"reason":"permit_expired"}' where id = $1`, [
    recordId,
  ]);
  await pool.query(
    `insert into service.quarantined_records (record_id, chain_id, phase, error, retry_at)
    values ($1, $2, 'deploy', 'planted', now() + interval '1 day')`,
    [recordId, chainId],
  );
  await scene.mine(deployment());
  expect(await scene.record(recordId)).toMatchObject({ status: 'Draft', error: null });
  await retryNow();
  await scene.fold();
  expect(await scene.record(recordId)).toMatchObject({ status: 'Deployed', error: null, state: 'dark' });
});

test('a record whose own input cannot be stored is retried by itself', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  await scene.mine(input(toggle('5')));
  await fixture.pool.query(
    `insert into service.quarantined_records (record_id, chain_id, phase, error, retry_at)
    values ($1, $2, 'continue', 'planted', now())`,
    [recordId, chainId],
  );
  // Takes the place of the row that was made for it.
  const { inputId } = await scene.submit(recordId, toggle('5'), { nonce: 0n });
  const repair = await plantFailure(recordId);
  closings.push(repair);
  await scene.fold();
  expect(await quarantined()).toMatchObject([{ record_id: recordId, failures: 2, error: 'planted' }]);
  await repair();
  await retryNow();
  await scene.fold();
  expect(await quarantined()).toEqual([]);
  expect(await scene.history(recordId)).toMatchObject([{ id: inputId, status: 'MINED', position: 1 }]);
});

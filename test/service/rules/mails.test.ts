import { getEventListeners } from 'node:events';
import { sql } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDatabase } from '../../../src/platform/database/database.ts';
import { createJobs } from '../../../src/platform/jobs/createJobs.ts';
import type { MailOutcome } from '../../../src/platform/operations/metrics.ts';
import { createMailer, MailRefusedError } from '../../../src/worker/notifier/createMailer.ts';
import { sendMailName } from '../../../src/worker/notifier/mailTask.ts';
import { createSendMail } from '../../../src/worker/notifier/sendMail.ts';
import { type MailServer, startMailServer } from '../../support/mailServer.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { deployment, input, toggle } from '../projector/support/scene.ts';
import { createFixture, emptyDatabase, type Fixture, silent } from '../projector/support/setup.ts';
import { createRuleScene, ruleOf } from './support/ruleScene.ts';

let fixture: Fixture;
let server: MailServer;
const outcomes: MailOutcome[] = [];
const closings: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  fixture = await createFixture();
});
beforeEach(async () => {
  await emptyDatabase(fixture);
  await fixture.pool.query('delete from graphile_worker._private_jobs');
  server = await startMailServer();
  closings.push(server.close);
  outcomes.length = 0;
});
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});
afterAll(() => fixture.close());

/** The sending part of a worker. */
function startSending({ isConfigured = true, smtpUrl = server.smtpUrl } = {}) {
  const handle = createDatabase({
    url: fixture.url,
    applicationName: 'mails',
    maxConnections: 5,
    logger: silent,
  });
  closings.push(handle.close);
  const from = { name: 'Agreements', address: 'no-reply@service.example' };
  const mailer = isConfigured ? createMailer({ smtpUrl, from }) : undefined;
  const onMail = (outcome: MailOutcome) => outcomes.push(outcome);
  const task = createSendMail({ database: handle.database, mailer, onMail, logger: silent });
  const jobs = createJobs({
    pool: handle.pool,
    tasks: { [sendMailName]: task },
    concurrency: 2,
    logger: silent,
    leaseMs: 10_000,
  });
  closings.push(jobs.close);
  return jobs;
}

async function begin(changes: Parameters<typeof ruleOf>[0] = {}) {
  const { notification } = ruleOf({}, 'email');
  const scene = await createRuleScene(fixture, {
    rules: [ruleOf({ notification: { ...notification, title: 'About the lamp' }, ...changes })],
  });
  await scene.mine(deployment());
  return scene;
}
/** Retries failed attempts at once, without their pause. */
async function hurry(): Promise<void> {
  await fixture.pool.query(`update graphile_worker._private_jobs set run_at = now() where attempts > 0`);
  await fixture.pool.query(`select graphile_worker.add_job('nothing', job_key => 'wake')`);
}

test("a mail has the rule's text, one receiver, and the service as its sender", async () => {
  const scene = await begin({ recipients: ['holder', '@observers'] });
  startSending();
  await scene.mine(input(toggle('1')));
  await waitUntil('both mails are there', () => server.received.length === 2);
  const [first] = server.received.toSorted((a, b) => (a.to.join() < b.to.join() ? -1 : 1));
  expect(first).toMatchObject({ from: 'no-reply@service.example', to: ['alice@mail.example'] });
  const ids = (await scene.firings()).map(({ id }) => `<${id}@service.example>`);
  expect(ids).toContain(first?.headers.get('message-id'));
  expect(first?.headers.get('subject')).toBe('A lamp');
  expect(first?.headers.get('from')).toBe('Agreements <no-reply@service.example>');
  expect(first?.headers.get('auto-submitted')).toBe('auto-generated');
  expect(first?.text).toBe('About the lamp\n\ndark>lit');
  await waitUntil('both are noted as sent', async () =>
    (await scene.mails()).every(({ status }) => status === 'sent'),
  );
  await waitUntil('both are told', () => outcomes.length >= 2);
  expect(outcomes).toEqual(['sent', 'sent']);
});

test('a mail that is not taken is sent again under the same Message-ID', async () => {
  const scene = await begin();
  server.refusals.push({ after: 'receiver', code: 451 }, { after: 'content', code: 452 });
  startSending();
  await scene.mine(input(toggle('1')));
  await waitUntil('the mail is there', async () => {
    await hurry();
    return server.received.length > 0;
  });
  const [{ id } = { id: '' }] = await scene.firings();
  expect(server.received.map(({ headers }) => headers.get('message-id'))).toEqual([
    `<${id}@service.example>`,
  ]);
  await waitUntil('it is noted as sent', async () => (await scene.mails())[0]?.status === 'sent');
  await waitUntil('that is told', () => outcomes.length >= 3);
  expect(outcomes).toEqual(['retried', 'retried', 'sent']);
});

test('a mail whose receiver is refused for good has failed, and the others go out', async () => {
  const scene = await begin({ recipients: ['holder', '@observers'] });
  server.refusals.push({ after: 'receiver', code: 550 });
  startSending();
  await scene.mine(input(toggle('1')));
  await waitUntil('one mail is there', () => server.received.length > 0);
  await waitUntil('both are noted', async () =>
    (await scene.mails()).every(({ status }) => status !== 'due'),
  );
  expect((await scene.mails()).map(({ status }) => status).toSorted()).toEqual(['failed', 'sent']);
});

test.each([
  { after: 'sender', code: 530 },
  { after: 'sender', code: 550 },
  { after: 'receiver', code: 530 },
] as const)('a mail is sent again that a server refuses by $code after the $after', async (refusal) => {
  const scene = await begin();
  server.refusals.push(refusal);
  startSending();
  await scene.mine(input(toggle('1')));
  await waitUntil('the mail is noted', async () => {
    await hurry();
    return (await scene.mails())[0]?.status !== 'due';
  });
  expect(await scene.mails()).toMatchObject([{ status: 'sent' }]);
  await waitUntil('that is told', () => outcomes.length >= 2);
  expect(outcomes).toEqual(['retried', 'sent']);
});

test.each([
  ['alice@mail.example', 'Alice@Mail.example'],
  ['alice@bücher.example', 'alice@xn--bcher-kva.example'],
])('the log does not repeat the address %s that a server names in its refusal', async (address, named) => {
  const scene = await begin();
  await scene.mine(input(toggle('1')));
  const [{ id: firingId } = { id: '' }] = await scene.firings();
  await fixture.pool.query('update service.mails set address = $1, status = $2', [address, 'due']);
  const lines: string[] = [];
  const serializers = { err: pino.stdSerializers.errWithCause };
  const logger = pino({ serializers }, { write: (line: string) => void lines.push(line) });
  const said = `550 5.1.1 <${named}>: no such mailbox`;
  let error = new Error(said);
  const mailer = { host: 'mail.example', send: () => Promise.reject(error) };
  const send = createSendMail({ database: fixture.database, mailer, logger });
  const signal = new AbortController().signal;
  // The queue logs what a job throws.
  await send({ firingId }, { signal }).catch((err: unknown) => logger.error({ err }));
  expect(lines.join('')).toContain('<[address]>: no such mailbox');
  error = new MailRefusedError(said);
  await send({ firingId }, { signal });
  expect(lines.join('')).toContain('no such mailbox');
  expect(lines.join('').toLowerCase()).not.toContain(named.toLowerCase());
  expect(await scene.mails()).toMatchObject([{ status: 'failed' }]);
});

test('a mail that no server accepts is eventually given up', async () => {
  const scene = await begin();
  // Nothing listens on the discard port. Another server may get the port of one that was closed.
  startSending({ smtpUrl: 'smtp://127.0.0.1:9' });
  await scene.mine(input(toggle('1')));
  await waitUntil('it is given up', async () => {
    await hurry();
    return (await scene.mails())[0]?.status === 'failed';
  });
  expect(outcomes.filter((outcome) => outcome === 'retried')).toHaveLength(11);
});

test('a mail whose last attempt ends with its worker is not given up', async () => {
  const scene = await begin();
  await scene.mine(input(toggle('1')));
  await fixture.pool.query('update service.mails set attempt_count = 11');
  const { database } = fixture;
  const from = { name: '', address: 'no-reply@service.example' };
  const mailer = createMailer({ smtpUrl: server.smtpUrl, from });
  const send = createSendMail({ database, mailer, logger: silent });
  const [{ id: firingId } = { id: '' }] = await scene.firings();
  await expect(send({ firingId }, { signal: AbortSignal.abort() })).rejects.toThrow(
    'The worker is stopping.',
  );
  expect(await scene.mails()).toMatchObject([{ status: 'due' }]);
  await send({ firingId }, { signal: new AbortController().signal });
  expect(await scene.mails()).toMatchObject([{ status: 'sent' }]);
});

test('a mail that was sent leaves nothing behind in its worker, whose signal serves all mails', async () => {
  const scene = await begin();
  await scene.mine(input(toggle('1')));
  const { signal } = new AbortController();
  const [{ id: firingId } = { id: '' }] = await scene.firings();
  for (const send of [() => Promise.resolve(), () => Promise.reject(new MailRefusedError('550 no'))]) {
    await fixture.pool.query(`update service.mails set status = 'due'`);
    const mailer = { host: 'mail.example', send };
    await createSendMail({ database: fixture.database, mailer, logger: silent })({ firingId }, { signal });
  }
  expect(await scene.mails()).toMatchObject([{ status: 'failed' }]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a mail that another worker has sent meanwhile stays sent if the server then refuses it', async () => {
  const scene = await begin();
  await scene.mine(input(toggle('1')));
  const [{ id: firingId } = { id: '' }] = await scene.firings();
  const send = async () => {
    await fixture.pool.query(`update service.mails set status = 'sent'`);
    throw new MailRefusedError('550 no');
  };
  const mailer = { host: 'mail.example', send };
  const { signal } = new AbortController();
  await createSendMail({ database: fixture.database, mailer, logger: silent })({ firingId }, { signal });
  expect(await scene.mails()).toMatchObject([{ status: 'sent' }]);
});

test('a mail whose job runs once more is not sent again', async () => {
  const scene = await begin();
  await scene.mine(input(toggle('1')));
  const [{ id: firingId } = { id: '' }] = await scene.firings();
  const sent: string[] = [];
  const mailer = { host: 'mail.example', send: async ({ id }: { id: string }) => void sent.push(id) };
  const send = createSendMail({ database: fixture.database, mailer, logger: silent });
  for (const _ of [1, 2]) await send({ firingId }, { signal: new AbortController().signal });
  expect(sent).toEqual([firingId]);
});

test('a mail that a worker had in hand when it died is sent by another', async () => {
  const scene = await begin();
  await scene.mine(input(toggle('1')));
  await fixture.pool.query(`update service.mails set attempt_count = 1`);
  await fixture.pool.query(
    `update graphile_worker._private_jobs set locked_by = 'dead', locked_at = now() - interval '1 minute', attempts = 1`,
  );
  await fixture.pool.query(
    `update graphile_worker._private_job_queues set locked_by = 'dead', locked_at = now() - interval '1 minute'`,
  );
  startSending();
  await waitUntil('the mail is there', async () => (await scene.mails())[0]?.status === 'sent');
  expect(server.received).toHaveLength(1);
});

test('two workers send every mail once', async () => {
  const scene = await begin({ recipients: ['holder', '@observers'] });
  startSending();
  startSending();
  for (let count = 1; count <= 10; count++) await scene.mine(input(toggle(String(count))));
  await waitUntil('all are sent', async () => {
    const mails = await scene.mails();
    return mails.length === 20 && mails.every(({ status }) => status === 'sent');
  });
  const ids = server.received.map(({ headers }) => headers.get('message-id'));
  expect(ids).toHaveLength(20);
  expect(new Set(ids).size).toBe(20);
});

test('without a mail server mails are skipped, and not sent later', async () => {
  const scene = await begin();
  const jobs = startSending({ isConfigured: false });
  await scene.mine(input(toggle('1')));
  await waitUntil('it is noted', async () => (await scene.mails())[0]?.status === 'skipped');
  await jobs.close();
  startSending();
  await scene.mine(input(toggle('2')));
  await waitUntil('the next one is there', () => server.received.length > 0);
  // The result is stored only after the server has taken the mail.
  await waitUntil('that is noted', async () => (await scene.mails()).every(({ status }) => status !== 'due'));
  expect((await scene.mails()).map(({ status }) => status).toSorted()).toEqual(['sent', 'skipped']);
  expect(await scene.query(sql`select error from service.mails where status = 'skipped'`)).toEqual([
    { error: 'This service has no mail server.' },
  ]);
});

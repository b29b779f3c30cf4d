import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  AgreementsError,
  ChainUnavailableError,
  ConnectionError,
  InvalidResponseError,
  RateLimitedError,
  TimeoutError,
  waitForInput,
} from '../../client/src/index.ts';
import { deployAgreement, signDeployment, signInput } from '../../client/src/viem/index.ts';
import { createRandom, pick } from '../support/random.ts';
import { deployPingPong, describeMural, pingPong } from './support/agreements.ts';
import { type Fault, type FaultyProxy, faults, startFaultyProxy } from './support/faultyProxy.ts';
import { chainId, createAccount, createClient, stack } from './support/stack.ts';

const isLong = process.env.CLIENT_FAULT_CALLS !== undefined;
/** The default for the test suite; `npm run test:client-faults` makes 10,000. */
const calls = Number(process.env.CLIENT_FAULT_CALLS ?? 240);
const seed = Number(process.env.CLIENT_FAULT_SEED ?? 1);
const callers = 8;
const timeoutMs = 2_000;
const faultRate = 0.4;
/**
 * Many calls end only with their time-outs, and others wait before they are repeated. The long form may take
 * any time.
 */
const testTimeoutMs = isLong ? 3_600_000 : 180_000;

type ErrorClass = abstract new (...args: never[]) => AgreementsError;
const classes: Record<Fault, ErrorClass> = {
  none: TimeoutError,
  cutBefore: ConnectionError,
  cutDuring: ConnectionError,
  cutAfter: ConnectionError,
  rateLimited: RateLimitedError,
  unavailable: ChainUnavailableError,
  slow: TimeoutError,
  truncated: InvalidResponseError,
  page: InvalidResponseError,
};

const direct = createClient();
let proxy: FaultyProxy;
beforeAll(async () => {
  const random = createRandom(seed);
  const choose = (): Fault => (random() < faultRate ? pick(random, faults) : 'none');
  proxy = await startFaultyProxy({ target: stack.baseUrl, slowMs: timeoutMs * 1.5, choose });
});
afterAll(() => proxy?.close());

type Outcome<Result> = { readonly ok: true; readonly result: Result } | { readonly ok: false };

/** The names of the errors that each fault has caused. */
const named = new Map<Fault, Set<string>>();

/** Checks that every failure has the error class of the last fault and the id of the failed request. */
async function attempt<Result>(run: () => Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { ok: true, result: await run() };
  } catch (error) {
    if (!(error instanceof AgreementsError)) throw error;
    const { name } = error;
    const fault = proxy.passed.get(error.requestId)?.fault ?? 'none';
    // A busy machine may cause a time-out by itself.
    expect([classes[fault].name, TimeoutError.name]).toContain(name);
    named.set(fault, (named.get(fault) ?? new Set()).add(name));
    return { ok: false };
  }
}

test('through a connection full of faults no write happens twice, and none is lost without an error', {
  timeout: testTimeoutMs,
}, async () => {
  const client = createClient({ baseUrl: proxy.baseUrl, timeoutMs });
  const agreements = await Promise.all(Array.from({ length: callers }, () => deployPingPong()));
  const counts = { made: 0, failed: 0, reads: 0, webhooks: 0, inputs: 0 };
  const submitted: { agreementId: string; note: string }[] = [];

  async function readOnce(agreementId: string): Promise<void> {
    counts.reads++;
    const read = await attempt(() => client.agreements.get(agreementId));
    if (read.ok) expect(read.result.id).toBe(agreementId);
    else counts.failed++;
  }

  async function subscribe(at: number): Promise<void> {
    counts.webhooks++;
    const url = `http://127.0.0.1:9/${seed}/${at}`;
    const made = await attempt(() => client.webhooks.create({ url, filters: { agreementIds: ['none'] } }));
    if (!made.ok) counts.failed++;
    const found: string[] = [];
    for await (const webhook of direct.webhooks.list({ status: 'active', limit: 100 }))
      if (webhook.url === url) found.push(webhook.id);
    if (made.ok) expect(found).toEqual([made.result.id]);
    else expect(found.length).toBeLessThanOrEqual(1);
    await Promise.all(found.map((id) => direct.webhooks.disable(id)));
  }

  async function hit(agreementId: string, at: number): Promise<void> {
    counts.inputs++;
    const note = `${at}`;
    const account = createAccount();
    const values = { note };
    const { body } = await signInput({ client: direct, account, agreementId, inputId: 'hit', values });
    const sent = await attempt(() => client.agreements.submitInput(agreementId, body));
    if (!sent.ok) counts.failed++;
    // After an error the client does not know whether the input was accepted. Sending the same permit again
    // tells it.
    const input = await direct.agreements.submitInput(agreementId, body);
    if (sent.ok) expect(input.id).toBe(sent.result.id);
    await waitForInput(direct, input, { pollMs: 20 });
    submitted.push({ agreementId, note });
  }

  let next = 0;
  await Promise.all(
    agreements.map(async ({ id }) => {
      for (let at = next++; at < calls; at = next++) {
        counts.made++;
        if (at % 4 === 0) await hit(id, at);
        else if (at % 4 === 1) await subscribe(at);
        else await readOnce(id);
      }
    }),
  );

  for (const { id } of agreements) {
    const notes: unknown[] = [];
    for await (const { values } of direct.agreements.listInputs(id, { limit: 100 })) notes.push(values.note);
    const wanted = submitted.filter(({ agreementId }) => agreementId === id).map(({ note }) => note);
    expect(notes.toSorted()).toEqual(wanted.toSorted());
  }
  expect(counts.made).toBe(calls);
  // The client met faults, and overcame most of them.
  expect(counts.failed).toBeGreaterThan(0);
  expect(counts.failed).toBeLessThan(calls / 4);
  const met = new Set([...proxy.passed.values()].map(({ fault }) => fault));
  expect([...met].toSorted()).toEqual([...faults, 'none'].toSorted());
  const allNames = [...named.values()].flatMap((names) => [...names]);
  expect(new Set(allNames)).not.toEqual(new Set([TimeoutError.name]));
  // In a short run on a busy machine, all the errors of one fault may be time-outs.
  for (const [fault, names] of named)
    if (isLong && fault !== 'none') expect(names).toContain(classes[fault].name);
  console.log(JSON.stringify({ seed, ...counts, requests: proxy.passed.size }));
});

test('a write whose answer is lost has one effect, and its repetition gets the same answer', async () => {
  let left = 0;
  const cutting = await startFaultyProxy({
    target: stack.baseUrl,
    slowMs: 0,
    choose: () => (left-- > 0 ? 'cutAfter' : 'none'),
  });
  onTestFinished(() => cutting.close());
  const client = createClient({ baseUrl: cutting.baseUrl });

  /** Makes one write through two lost answers. */
  async function write<Result>(run: () => Promise<Result>): Promise<Result> {
    left = 2;
    const before = cutting.passed.size;
    const result = await run();
    const attempts = [...cutting.passed.values()].slice(before);
    expect(attempts.map(({ fault }) => fault)).toEqual(['cutAfter', 'cutAfter', 'none']);
    expect(new Set(attempts.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    for (const { answer = '' } of attempts) expect(JSON.parse(answer).data).toEqual(result);
    return result;
  }
  const idsOf = async (list: AsyncIterable<{ id: string }>) => {
    const ids: string[] = [];
    for await (const { id } of list) ids.push(id);
    return ids;
  };

  const account = createAccount();
  const name = `Lost answers ${account.address}`;
  const deployment = { agreement: pingPong, chainId, displayName: name };
  const { body } = await signDeployment({ client: direct, account, ...deployment });
  const { id } = await write(() => client.agreements.deployWithPermit(body));
  const named = { displayName: { startsWith: name } };
  expect(await idsOf(direct.agreements.list(named))).toEqual([id]);

  const draft = await write(() => client.agreements.createDraft({ ...deployment, signer: account.address }));
  expect((await idsOf(direct.agreements.list(named))).toSorted()).toEqual([id, draft.id].toSorted());

  const owned = { ...describeMural({ patron: account, artist: createAccount() }), account };
  const { id: muralId } = await deployAgreement({ client: direct, ...owned });
  const link = await write(() => client.links.create(muralId, { may: 'sign', participant: 'artist' }));
  expect(await idsOf(direct.links.list(muralId))).toEqual([link.id]);
  await write(() => client.links.revoke(muralId, link.id));
  expect(await idsOf(direct.links.list(muralId))).toEqual([]);

  const url = `http://127.0.0.1:9/${account.address}`;
  const webhook = await write(() => client.webhooks.create({ url, filters: { agreementIds: ['none'] } }));
  const found: string[] = [];
  for await (const one of direct.webhooks.list({ limit: 100 })) if (one.url === url) found.push(one.id);
  expect(found).toEqual([webhook.id]);
  await write(() => client.webhooks.rotateSecret(webhook.id));
  await write(() => client.webhooks.disable(webhook.id));
});

import { hashTypedData, type TypedDataDefinition } from 'viem';
import { describe, expect, test } from 'vitest';
import {
  metaOf,
  NotFoundError,
  WaitTimeoutError,
  waitForDeployment,
  waitForState,
} from '../../client/src/index.ts';
import {
  deployAgreement,
  signDeployment,
  signInput,
  submitInput,
  TypedDataMismatchError,
} from '../../client/src/viem/index.ts';
import { deployPingPong, describeMural, pingPong } from './support/agreements.ts';
import {
  chainId,
  createAccount,
  createBrowserWallet,
  createClient,
  walletClientOf,
} from './support/stack.ts';

const client = createClient();
const patron = createAccount();
const artist = createAccount();

describe('an agreement is deployed and moved by', () => {
  test('wallets of the browser, which are asked to change to its chain', async () => {
    const [patronWallet, artistWallet] = [createBrowserWallet(patron), createBrowserWallet(artist)];
    const record = await deployAgreement({
      client,
      provider: patronWallet.provider,
      ...describeMural({ patron, artist }),
    });
    expect(record).toMatchObject({ status: 'Deployed', state: 'OFFERED', owner: patron.address });
    expect(patronWallet.asked).toEqual([
      'eth_requestAccounts',
      'eth_chainId',
      'wallet_switchEthereumChain',
      'eth_chainId',
      'eth_signTypedData_v4',
    ]);
    const accepted = await submitInput({
      client,
      provider: artistWallet.provider,
      agreementId: record.id,
      inputId: 'acceptCommission',
      values: { artistSignature: 'M. Tamm' },
    });
    expect(accepted).toMatchObject({ status: 'MINED', signer: artist.address, toState: 'SKETCHING' });
    expect(await waitForState(client, record.id, 'SKETCHING')).toMatchObject({ state: 'SKETCHING' });
  });

  test('a wallet client of viem, and by an account whose key is at hand', async () => {
    const account = createAccount();
    const record = await deployAgreement({
      client,
      walletClient: walletClientOf(account),
      agreement: pingPong,
      chainId,
      displayName: 'Ping pong',
      participantAccess: 'sign',
    });
    expect(record).toMatchObject({ displayName: 'Ping pong', participantAccess: 'sign' });
    const input = { client, agreementId: record.address ?? '', inputId: 'hit', values: { note: 'one' } };
    expect(await submitInput({ ...input, account })).toMatchObject({ status: 'MINED', toState: 'PONG' });
  });
});

/** A client whose service returns changed data to sign. */
function createLiar(change: (data: Record<string, Record<string, unknown>>) => void) {
  return createClient({
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (!String(input).includes('typed-data')) return response;
      const body: { data: Record<string, Record<string, unknown>> } = JSON.parse(await response.text());
      change(body.data);
      return Response.json(body, { headers: response.headers });
    },
  });
}

const elsewhere = '0x000000000000000000000000000000000000dEaD';
const lies: readonly [string, Parameters<typeof createLiar>[0]][] = [
  ['domain.verifyingContract', ({ domain }) => Object.assign(domain ?? {}, { verifyingContract: elsewhere })],
  ['domain.chainId', ({ domain }) => Object.assign(domain ?? {}, { chainId: 1 })],
  ['digest', (data) => Object.assign(data, { digest: `0x${'11'.repeat(32)}` })],
];

describe('nothing is signed', () => {
  test.each([
    ...lies,
    ['message.docHash', ({ message }) => Object.assign(message ?? {}, { docHash: `0x${'22'.repeat(32)}` })],
    ['message.actionsHash', ({ message }) => Object.assign(message ?? {}, { actionsHash: elsewhere })],
  ] as typeof lies)('if the service names another %s of a deployment', async (what, change) => {
    const { provider, asked } = createBrowserWallet(patron);
    const signing = signDeployment({
      client: createLiar(change),
      provider,
      ...describeMural({ patron, artist }),
    });
    const error = await signing.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypedDataMismatchError);
    expect(error).toMatchObject({ differences: expect.arrayContaining([what]) });
    expect(asked).not.toContain('eth_signTypedData_v4');
  });

  test.each([
    ...lies,
    ['message.payload', ({ message }) => Object.assign(message ?? {}, { payload: '0x01' })],
    ['message.inputId', ({ message }) => Object.assign(message ?? {}, { inputId: `0x${'22'.repeat(32)}` })],
  ] as typeof lies)('if the service names another %s of an input', async (what, change) => {
    const { provider, asked } = createBrowserWallet(patron);
    const { id: agreementId } = await sharedPingPong();
    const signing = signInput({
      client: createLiar(change),
      provider,
      agreementId,
      inputId: 'hit',
      values: { note: 'x' },
    });
    const error = await signing.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypedDataMismatchError);
    expect(error).toMatchObject({ differences: expect.arrayContaining([what]) });
    expect(asked).not.toContain('eth_signTypedData_v4');
  });

  test.each([
    ['contract', 'domain.verifyingContract'],
    ['chain', 'domain.chainId'],
  ])('if the service answers with a record of another %s than was named', async (what, difference) => {
    const [{ address = '' }, { address: other = '' }] = await Promise.all([
      sharedPingPong(),
      deployPingPong(),
    ]);
    const { provider, asked } = createBrowserWallet(patron);
    // Its typed data agree with its record.
    const liar = createClient({
      fetch: (input, init) =>
        fetch(
          String(input)
            .replace(/0x[0-9a-fA-F]{40}/, what === 'contract' ? other : address)
            .replace(/chainId=1\b/, `chainId=${chainId}`),
          init,
        ),
    });
    const named = what === 'contract' ? {} : { chainId: 1 };
    const signing = signInput({
      client: liar,
      provider,
      agreementId: address ?? '',
      ...named,
      inputId: 'hit',
      values: { note: 'x' },
    });
    await expect(signing).rejects.toMatchObject({
      name: 'TypedDataMismatchError',
      differences: expect.arrayContaining([difference]),
    });
    expect(asked).not.toContain('eth_signTypedData_v4');
  });

  test('if the service chooses a deadline more than a day ahead', async () => {
    const { provider, asked } = createBrowserWallet(patron);
    const { id: agreementId } = await sharedPingPong();
    const deadline = Math.floor(Date.now() / 1_000) + 86_400 + 600;
    const liar = createLiar((data) => {
      const message = { ...data.message, deadline };
      const typedData: TypedDataDefinition = JSON.parse(JSON.stringify({ ...data, message }));
      Object.assign(data, { deadline, message, digest: hashTypedData(typedData) });
    });
    const input = { client: liar, provider, agreementId, inputId: 'hit', values: { note: 'x' } };
    const deployment = { client: liar, provider, ...describeMural({ patron, artist }) };
    for (const sign of [() => signInput(input), () => signDeployment(deployment)])
      await expect(sign()).rejects.toMatchObject({
        name: 'PermitRefusedError',
        reason: 'deadline_too_far',
      });
    expect(asked).not.toContain('eth_signTypedData_v4');
  });

  test('that the service says it would refuse, or that does not fit the document', async () => {
    const { provider, asked } = createBrowserWallet(artist);
    const record = await deployAgreement({ client, account: patron, ...describeMural({ patron, artist }) });
    const input = { client, provider, agreementId: record.id };
    await expect(submitInput({ ...input, inputId: 'takeOver' })).rejects.toThrow();
    await expect(submitInput({ ...input, inputId: 'acceptCommission', values: {} })).rejects.toThrow();
    expect(asked).not.toContain('eth_signTypedData_v4');
  });
});

describe('what is waited for', () => {
  test('is an error that names the record if it does not come in time', async () => {
    const { id } = await sharedPingPong();
    const waiting = waitForState(client, id, 'NEVER', { timeoutMs: 300, pollMs: 100 });
    await expect(waiting).rejects.toBeInstanceOf(WaitTimeoutError);
    await expect(waiting).rejects.toThrow(`the state NEVER of ${id} has not come`);
    const draft = await client.agreements.createDraft({
      ...describeMural({ patron, artist }),
      signer: patron.address,
    });
    await expect(waitForDeployment(client, draft, { timeoutMs: 0 })).rejects.toThrow(
      `the deployment of ${draft.id} has not come`,
    );
    await expect(waitForState(client, 'agr_unknown', 'NEVER')).rejects.toBeInstanceOf(NotFoundError);
  });
});

test("a read shows the same client's writes, and another client's with its token", async () => {
  const { id } = await sharedPingPong();
  const { body } = await signInput({
    client,
    account: createAccount(),
    agreementId: id,
    inputId: 'hit',
    values: { note: 'read your writes' },
  });
  const { state: before } = await client.agreements.getState(id);
  const sent = await client.agreements.submitInput(id, body);
  const { consistency } = metaOf(sent) ?? {};
  const [own, others] = await Promise.all([
    client.agreements.getState(id),
    createClient().agreements.getState(id, { consistency }),
  ]);
  expect([own.state, others.state]).toEqual(Array(2).fill(before === 'PING' ? 'PONG' : 'PING'));
});

test('the feed of events goes on from its cursor, gives each event once and ends with its signal', async () => {
  const stopping = new AbortController();
  const { id: agreementId } = await deployPingPong();
  const seen: string[] = [];
  let kept: string | undefined;
  const follow = async (until: number, signal?: AbortSignal) => {
    for await (const { event, cursor } of client.events.follow({ after: kept, pollMs: 20, signal })) {
      kept = cursor;
      if (event.type !== 'agreement.transitioned' || event.data.agreementId !== agreementId) continue;
      seen.push(`${event.data.sequence} ${event.data.toState}`);
      if (seen.length === until) break;
    }
  };
  await follow(1);
  await submitInput({ client, account: createAccount(), agreementId, inputId: 'hit', values: { note: 'a' } });
  await follow(2);
  expect(seen).toEqual(['0 PING', '1 PONG']);
  const ended = follow(3, stopping.signal);
  stopping.abort();
  await ended;
  expect(seen).toHaveLength(2);
});

let shared: ReturnType<typeof deployPingPong> | undefined;
function sharedPingPong() {
  shared ??= deployPingPong();
  return shared;
}

import { setTimeout as delay } from 'node:timers/promises';
import { type Address, encodeFunctionData, type Hex } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { identifyMoment, readStanding } from '../../../src/api/admission/readStanding.ts';
import { inputRecordShape, recordShape } from '../../../src/api/shapes/resources.ts';
import { channels } from '../../../src/platform/database/channels.ts';
import { compileAgreement, nameHash } from '../../../src/protocol/index.ts';
import { learnGas } from '../../../src/records/gas/learnedGas.ts';
import { explainRevert } from '../../../src/worker/relay/explainRevert.ts';
import { createDisturbedNode, type DisturbedNode } from '../../support/relayNode.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { type Answer, createCall } from '../support/call.ts';
import { deployDirectly } from '../support/directDeployment.ts';
import { buildLease, reference } from '../support/documents.ts';
import { type IndexedService, startIndexedService } from '../support/indexedService.ts';
import { deployLease, type Lease } from '../support/leases.ts';
import { outcome } from '../support/outcome.ts';
import { makeRentPayable } from '../support/payableRent.ts';
import { createAccount, signDeploy, signInput } from '../support/permits.ts';
import { chainId } from '../support/testChain.ts';
import { startTestApi, type TestApi, type TestPrincipal } from '../support/testService.ts';
import { accept } from './support/inputScene.ts';

let setting: IndexedService;
let principal: TestPrincipal;
let node: DisturbedNode;
const apis: TestApi[] = [];
/** Calls of the regular polls of the newest block. Each half minute, one of them also asks for the chain. */
const ofPolls = new Set(['eth_getBlockByNumber', 'eth_chainId']);
/** The methods that the APIs under test have called on the node, except those of the polls. */
const asked: string[] = [];

beforeAll(async () => {
  setting = await startIndexedService();
  principal = await setting.service.createPrincipal();
  node = await createDisturbedNode(setting.chain.rpcUrl, ({ method }) => {
    // Every process polls each endpoint for its newest block, independent of requests.
    if (!ofPolls.has(method)) asked.push(method);
    return undefined;
  });
});
afterAll(async () => {
  for (const api of apis) await api.close();
  await node?.close();
  await setting?.close();
});

/**
 * An API whose calls to the node are recorded. It allows a day of lag, because test chains stand still while
 * the machine is busy.
 */
async function startApi(env: Record<string, string>) {
  const api = await startTestApi(setting.service.databaseUrl, {
    rpcUrls: { [chainId]: node.url },
    env: { ADMISSION_MAX_LAG_SECONDS: '86400', SIGNING_WAIT_MS: '120000', ...env },
  });
  apis.push(api);
  const call = createCall(api.baseUrl, principal.key);
  return (lease: Pick<Lease, 'id'>, body: unknown) =>
    call('POST', `/v0/agreements/${lease.id}/input`, { body });
}

/** Deploys a lease, and waits until the index shows it. */
async function deploy(): Promise<Lease> {
  const { chain, worker } = setting;
  const lease = await deployLease(principal, { chain, worker });
  await awaitIndexed(lease.address);
  return lease;
}

/** The outbox rows of its inputs, the oldest first. */
async function readAdmitted({ address }: Lease): Promise<{ id: string; admission: unknown }[]> {
  const query = `select id, admission from service.transactions where contract = $1 and kind = 'input' order by created_at`;
  return (await setting.service.handle.pool.query<{ id: string; admission: unknown }>(query, [address])).rows;
}

async function awaitIndexed(address: Address): Promise<void> {
  const query = 'select 1 from chain_index.agreements where address = $1';
  await waitUntil('the index shows it', async () => {
    return (await setting.service.handle.pool.query(query, [address.toLowerCase()])).rowCount === 1;
  });
}

/** An agreement in which everybody may write any text at any time. */
const wallDocument = {
  metadata: { templateId: 'did:template:wall' },
  variables: { owner: { type: 'address', subtype: 'participant', validation: { required: true } } },
  content: { type: 'md', data: '' },
  execution: {
    initialize: { initialState: 'OPEN', data: { owner: reference('owner') } },
    states: { OPEN: { description: 'Write.' } },
    inputs: { write: { issuer: '', data: { text: { type: 'string' } } } },
    transitions: [{ from: 'OPEN', to: 'OPEN', conditions: [{ input: 'write' }] }],
  },
};

async function deployWall() {
  const account = createAccount();
  const values = { owner: account.address };
  const { factory } = setting.chain;
  const agreement = wallDocument;
  const permit = await signDeploy({ account, agreement, values, chainId, factory, docUri: 'ipfs://wall' });
  const answer = await principal.call('POST', '/v0/agreements/deploy-with-permit', {
    body: { agreement, displayName: 'Wall', chainId, initValues: values, docUri: 'ipfs://wall', ...permit },
  });
  const { id } = recordShape.parse(answer.body.data);
  const agreementAddress = await setting.worker.fold(id);
  await awaitIndexed(agreementAddress);
  return { id, agreement, agreementAddress };
}

async function countStored(lease: Lease): Promise<number> {
  const query = `select 1 from service.transactions where contract = $1 and kind = 'input'`;
  return (await setting.service.handle.pool.query(query, [lease.address])).rowCount ?? 0;
}

/** Waits until so many inputs of the signer's open permit are stored, and fails them. */
async function failStored(lease: Lease, signer: string, inputs = 1): Promise<void> {
  const { pool } = setting.service.handle;
  const failure = '{"reason": "x", "message": "y"}';
  await waitUntil('it is stored', async () => {
    const query = 'select 1 from service.inputs where agreement_address = $1 and signer = $2';
    return (await pool.query(query, [lease.address, signer])).rowCount === inputs;
  });
  await pool.query(
    `with failed as (
       update service.transactions set state = 'failed', failure = $3 where contract = $1 and signer = $2 returning id),
     ended as (
       update service.inputs i set status = 'FAILED', error = $3 from failed where i.transaction_id = failed.id)
     select pg_notify($4, id) from failed`,
    [lease.address, signer, failure, channels.transactionChanged],
  );
}

const knockOf = (account = createAccount()) => ({ inputId: 'knock', values: {}, account });

describe('by index and outbox', () => {
  let submit: Awaited<ReturnType<typeof startApi>>;
  beforeAll(async () => {
    submit = await startApi({});
  });
  beforeEach(() => {
    asked.length = 0;
  });

  test('inputs are taken and refused without a call to a node', async () => {
    const lease = await deploy();
    const account = createAccount();
    const { body } = await lease.sign(knockOf(account));
    expect((await submit(lease, body)).status).toBe(200);
    const refuse = async (input: Parameters<Lease['sign']>[0]) =>
      outcome(await submit(lease, (await lease.sign(input)).body));
    expect(await refuse(knockOf(lease.tenant))).toMatchObject({ status: 200 });
    expect(await refuse({ ...knockOf(account), nonce: 5n })).toMatchObject({
      details: { reason: 'future_nonce', signedNonce: '5', currentNonce: '1' },
    });
    expect(await refuse({ ...knockOf(account), deadline: 1 })).toMatchObject({
      details: { reason: 'permit_expired' },
    });
    expect(await refuse({ inputId: 'appoint', values: { keeper: account.address }, account })).toMatchObject({
      details: { reason: 'issuer_not_allowed' },
    });
    expect(await refuse({ inputId: 'pay', values: {}, account: lease.tenant, nonce: 1n })).toMatchObject({
      details: { reason: 'state_not_accepting', currentState: 'OFFERED' },
    });
    expect(outcome(await submit(lease, { ...body, values: { more: '1' } }))).toMatchObject({
      details: { reason: 'schema_mismatch' },
    });
    expect(outcome(await submit(lease, { ...body, deadline: body.deadline + 1 }))).toMatchObject({
      details: { reason: 'signature_mismatch' },
    });
    expect(asked).toEqual([]);
    expect(await countStored(lease)).toBe(2);
  });

  test('the gas of a long input counts for long ones alone', async () => {
    const { service, chain } = setting;
    const { pool } = service.handle;
    const wall = await deployWall();
    /** Writes a text of so many characters; returns what was estimated, the gas used, and a way to learn from it. */
    const write = async (characters: number) => {
      const account = createAccount();
      const values = { text: 'A'.repeat(characters) };
      const { body } = await signInput({ ...wall, chainId, inputId: 'write', values, account });
      expect((await submit(wall, body)).status).toBe(200);
      await setting.worker.idle();
      const { rows } = await pool.query<{ id: string; gas: string | null; data: Hex; hash: Hex }>(
        `select id, gas_estimate as gas, call_data as data, tx_hash as hash
        from service.transactions where contract = $1 and signer = $2`,
        [wall.agreementAddress, account.address],
      );
      const [row] = rows;
      if (!row) throw new Error('nothing was stored');
      const { gasUsed } = await chain.client.getTransactionReceipt({ hash: row.hash });
      const learn = () =>
        learnGas(pool, { transactionId: row.id, callData: row.data, gas: gasUsed, by: 'receipt' });
      return { estimate: row.gas === null ? undefined : BigInt(row.gas), gasUsed, learn };
    };
    const long = await write(30_000);
    await long.learn();
    const short = await write(1);
    expect(short.estimate).toBeUndefined();
    expect(long.gasUsed).toBeGreaterThan(5n * short.gasUsed);
    await short.learn();
    for (const characters of [2, 29_000]) {
      const { estimate, gasUsed } = await write(characters);
      expect(estimate).toBeGreaterThanOrEqual(gasUsed);
      expect(estimate).toBeLessThan(2n * gasUsed);
    }
    expect(asked).toEqual([]);
  });

  test('what accepted inputs have stored is read once for each moment of the agreement', async () => {
    const lease = await deploy();
    const { pool } = setting.service.handle;
    const appoint = async (nonce: bigint) => {
      const keeper = createAccount().address;
      const input = { inputId: 'appoint', values: { keeper }, account: lease.landlord, nonce };
      expect((await submit(lease, (await lease.sign(input)).body)).status).toBe(200);
    };
    const look = (knownMoment?: string) =>
      readStanding(pool, {
        ...{
          chainId,
          contract: lease.address,
          signer: lease.tenant.address,
          gasKind: '',
          asker: principal.id,
        },
        ...{ storingInputs: [nameHash('appoint')], principalId: undefined, known: new Set(), knownMoment },
      });
    const lookAfter = (count: number) =>
      waitUntil(`the index shows ${count}`, async () => {
        const standing = await look();
        return standing?.storing?.length === count && standing;
      });
    await appoint(0n);
    const moment = identifyMoment(await lookAfter(1));
    expect(moment).toBeDefined();
    expect(await look(moment)).toMatchObject({ position: 1, storing: undefined });
    await appoint(1n);
    await lookAfter(2);
    expect((await look(moment))?.storing).toHaveLength(2);
  });

  test('an input that depends on other open inputs is accepted, whoever signed them', async () => {
    const lease = await deploy();
    const keeper = createAccount();
    const inspect = { inputId: 'inspect', values: {}, account: keeper };
    const row = [
      { inputId: 'appoint', values: { keeper: keeper.address }, account: lease.landlord },
      inspect,
      { ...inspect, nonce: 1n },
      { ...accept, account: lease.tenant },
    ];
    const early = await submit(lease, (await lease.sign(inspect)).body);
    expect(outcome(early)).toMatchObject({ details: { reason: 'issuer_not_allowed' } });
    const sent: Promise<Answer>[] = [];
    await setting.worker.hold(async () => {
      for (const input of row) {
        sent.push(submit(lease, (await lease.sign(input)).body));
        await waitUntil('it is stored', async () => (await countStored(lease)) === sent.length);
      }
      const late = await submit(lease, (await lease.sign(knockOf())).body);
      expect(outcome(late)).toMatchObject({
        details: { reason: 'state_not_accepting', currentState: 'ACTIVE' },
      });
      const twice = await lease.sign({
        ...inspect,
        nonce: 1n,
        deadline: Math.floor(Date.now() / 1_000) + 99,
      });
      expect(outcome(await submit(lease, twice.body))).toMatchObject({
        details: { reason: 'state_not_accepting' },
      });
    });
    // The stand-in worker sends them in order, and throws if one reverts.
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(asked).toEqual([]);
  });

  test('inputs keep their order if the clock of the database is set back between them', async () => {
    const lease = await deploy();
    const keeper = createAccount();
    const inspect = { inputId: 'inspect', values: {}, account: keeper };
    const { pool } = setting.service.handle;
    const sent: Promise<Answer>[] = [];
    const send = async (input: Parameters<Lease['sign']>[0]) => {
      sent.push(submit(lease, (await lease.sign(input)).body));
      await waitUntil('it is stored', async () => (await countStored(lease)) === sent.length);
    };
    await setting.worker.hold(async () => {
      await send({ inputId: 'appoint', values: { keeper: keeper.address }, account: lease.landlord });
      const ofLease = `service.transactions where contract = $1 and kind = 'input'`;
      await pool.query(
        `update service.transactions set created_at = created_at + interval '2 minutes'
        where contract = $1 and kind = 'input'`,
        [lease.address],
      );
      await send(inspect);
      await send({ ...inspect, nonce: 1n });
      const query = `select signer, permit_nonce::int as nonce from ${ofLease} order by created_at, id`;
      const ofKeeper = [0, 1].map((nonce) => ({ signer: keeper.address, nonce }));
      expect((await pool.query(query, [lease.address])).rows).toEqual([
        { signer: lease.landlord.address, nonce: 0 },
        ...ofKeeper,
      ]);
    });
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test('open inputs that are too long together are left to the node', async () => {
    const lease = await deploy();
    const { pool } = setting.service.handle;
    const excess = 2 * 1024 * 1024;
    const sent: Promise<Answer>[] = [];
    const send = async () => {
      sent.push(submit(lease, (await lease.sign(knockOf())).body));
      await waitUntil('it is stored', async () => (await countStored(lease)) === sent.length);
    };
    await setting.worker.hold(async () => {
      await send();
      await send();
      expect(asked).toEqual([]);
      const ofLease = `from service.transactions where contract = $1 and kind = 'input' order by created_at limit 1`;
      const change = (text: string) =>
        pool.query(`update service.transactions set call_data = ${text} where id = (select id ${ofLease})`, [
          lease.address,
        ]);
      await change(`call_data || repeat('0', ${excess})`);
      await send();
      expect(asked).not.toEqual([]);
      await change(`left(call_data, -${excess})`);
    });
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test('a second permit with the nonce of one that is open is refused as in flight', async () => {
    const lease = await deploy();
    const knock = knockOf();
    const first = await lease.sign(knock);
    const second = await lease.sign({ ...knock, deadline: first.body.deadline + 1 });
    let sent: Promise<Answer> | undefined;
    await setting.worker.hold(async () => {
      sent = submit(lease, first.body);
      await waitUntil('it is stored', async () => (await countStored(lease)) === 1);
      expect(outcome(await submit(lease, second.body))).toMatchObject({
        status: 409,
        details: { reason: 'nonce_in_flight', nonce: '0' },
      });
    });
    expect((await sent)?.status).toBe(200);
    expect(asked).toEqual([]);
  });

  test("other principals' open inputs are revealed to nobody without a permit, and a permit of theirs is shared", async () => {
    const lease = await deploy();
    const other = await setting.service.createPrincipal();
    const adopted = await other.call('POST', '/v0/agreements/import', {
      body: { address: lease.address, chainId, agreement: lease.agreement, displayName: 'Lease' },
    });
    const { id } = recordShape.parse(adopted.body.data);
    const call = createCall(apis.at(-1)?.baseUrl ?? '', other.key);
    const submitByOther = (body: unknown) => call('POST', `/v0/agreements/${id}/input`, { body });
    const { body } = await lease.sign({ ...accept, account: lease.tenant });
    const forged = {
      ...body,
      signature: (await lease.sign({ ...accept, account: createAccount() })).body.signature,
    };
    const alone = outcome(await submitByOther(forged));
    expect(alone).toMatchObject({ details: { reason: 'signature_mismatch', message: { nonce: '0' } } });
    const sent: Promise<Answer>[] = [];
    await setting.worker.hold(async () => {
      sent.push(submit(lease, body));
      await waitUntil('it is stored', async () => (await countStored(lease)) === 1);
      expect(outcome(await submitByOther(forged))).toEqual(alone);
      const late = outcome(await submitByOther((await lease.sign({ ...knockOf(), deadline: 1 })).body));
      expect(late).toMatchObject({ details: { reason: 'permit_expired' } });
      const knock = outcome(await submitByOther((await lease.sign(knockOf())).body));
      expect(knock).toMatchObject({ details: { reason: 'state_not_accepting' } });
      for (const answer of [late, knock]) expect(JSON.stringify(answer)).not.toContain('ACTIVE');
      sent.push(submitByOther(body));
      const shared = 'select 1 from service.inputs where record_id = $1';
      await waitUntil('it is stored for the other principal', async () => {
        return (await setting.service.handle.pool.query(shared, [id])).rowCount === 1;
      });
    });
    const [own, others] = await Promise.all(sent);
    expect([own?.status, others?.status]).toEqual([200, 200]);
    expect(inputRecordShape.parse(others?.body.data).txHash).toBe(
      inputRecordShape.parse(own?.body.data).txHash,
    );
    expect(await countStored(lease)).toBe(1);
  });

  test('an unsent input counts until its deadline, although the clock of the API is past it', async () => {
    const lease = await deploy();
    const now = Math.floor(Date.now() / 1_000);
    const { body } = await lease.sign({ ...accept, account: lease.tenant, deadline: now + 3_600 });
    const knock = await lease.sign({ ...knockOf(), deadline: now + 3 * 3_600 });
    const sent: Promise<Answer>[] = [];
    await setting.worker.hold(async () => {
      sent.push(submit(lease, body));
      await waitUntil('it is stored', async () => (await countStored(lease)) === 1);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 3_600_000 });
      const after = submit(lease, knock.body).finally(() => vi.useRealTimers());
      expect(outcome(await after)).toMatchObject({ details: { reason: 'state_not_accepting' } });
    });
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200]);
    expect(await countStored(lease)).toBe(1);
  });

  test('a permit is not accepted after an unsent one of its signer whose deadline has passed', async () => {
    const byNode = await startApi({ ADMISSION: 'node' });
    const lease = await deploy();
    const account = createAccount();
    const deadline = Math.floor(Date.now() / 1_000) + 5;
    const first = await lease.sign({ ...knockOf(account), deadline });
    const second = await lease.sign({ ...knockOf(account), nonce: 1n });
    const sent: Promise<Answer>[] = [];
    await setting.worker.hold(async () => {
      sent.push(submit(lease, first.body));
      await waitUntil('it is stored', async () => (await countStored(lease)) === 1);
      await waitUntil('its deadline has passed', async () => Date.now() / 1_000 >= deadline + 1);
      for (const by of [submit, byNode]) {
        const answered = Promise.race([by(lease, second.body).then(outcome), delay(5_000)]);
        expect(await answered).toMatchObject({
          status: 409,
          details: { reason: 'future_nonce', signedNonce: '1', currentNonce: '0' },
        });
      }
      const data = { inputId: 'knock', values: {}, signer: account.address };
      const offered = await principal.call('POST', `/v0/agreements/${lease.id}/input-typed-data`, {
        body: data,
      });
      expect(offered.body.data).toMatchObject({ nonce: '0', minedNonce: '0' });
      const other = await lease.sign(knockOf(account));
      expect(outcome(await submit(lease, other.body))).toMatchObject({
        status: 409,
        details: { reason: 'nonce_in_flight', nonce: '0' },
      });
      await failStored(lease, account.address);
      sent.push(submit(lease, other.body));
      await waitUntil('the other one is stored', async () => (await countStored(lease)) === 2);
    });
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200]);
  });

  test('a failed permit that is sent again comes after what was accepted meanwhile, or stays as it is', async () => {
    const { worker } = setting;
    const lease = await deploy();
    const late = await lease.sign(knockOf());
    const appoint = {
      inputId: 'appoint',
      values: { keeper: lease.landlord.address },
      account: lease.landlord,
    };
    const sent: Promise<Answer>[] = [];
    await worker.hold(async () => {
      const first = submit(lease, late.body);
      await failStored(lease, late.body.signer);
      expect((await first).body.data).toMatchObject({ status: 'FAILED' });

      sent.push(submit(lease, (await lease.sign(appoint)).body));
      await waitUntil('the other is stored', async () => (await countStored(lease)) === 2);
      sent.push(submit(lease, late.body));
      await waitUntil('it waits again, as the last', async () => {
        const { rows } = await setting.service.handle.pool.query(
          `select signer, state from service.transactions where contract = $1 order by created_at`,
          [lease.address],
        );
        return rows.at(-1)?.signer === late.body.signer && rows.every(({ state }) => state === 'accepted');
      });
    });
    for (const { body } of await Promise.all(sent)) expect(body.data).toMatchObject({ status: 'PENDING' });

    const other = await lease.sign(knockOf());
    await worker.hold(async () => {
      const first = submit(lease, other.body);
      await failStored(lease, other.body.signer);
      await first;
      const accepting = submit(lease, (await lease.sign({ ...accept, account: lease.tenant })).body);
      await waitUntil('the acceptance is stored', async () => (await countStored(lease)) === 4);
      // After the acceptance nobody may knock, although a node would allow it now.
      const again = await submit(lease, other.body);
      expect(again).toMatchObject({ status: 200, body: { data: { status: 'FAILED' } } });
      sent.push(accepting);
    });
    expect((await sent.at(-1))?.body.data).toMatchObject({ status: 'PENDING' });
  });

  test("another principal's failed input stays as it is until the chain shows the permit's effect", async () => {
    const { worker, service } = setting;
    const lease = await deploy();
    const other = await service.createPrincipal();
    const adopted = await other.call('POST', '/v0/agreements/import', {
      body: { address: lease.address, chainId, agreement: lease.agreement, displayName: 'Lease' },
    });
    const { id } = recordShape.parse(adopted.body.data);
    const call = createCall(apis.at(-1)?.baseUrl ?? '', other.key);
    const submitByOther = () => call('POST', `/v0/agreements/${id}/input`, { body: knock.body });
    const readInputs = async () => {
      const { body } = await principal.call('GET', `/v0/agreements/${lease.id}/inputs`);
      return body.data;
    };
    const stranger = await service.createPrincipal();
    const countOpen = async ({ id: principalId }: Pick<TestPrincipal, 'id'>) => {
      const standing = await readStanding(service.handle.pool, {
        ...{ chainId, contract: lease.address, signer: lease.tenant.address, gasKind: '', principalId },
        ...{ asker: principalId, storingInputs: [], known: new Set<string>(), knownMoment: undefined },
      });
      return standing?.open.length;
    };
    const knock = await lease.sign(knockOf());
    let again: Promise<Answer> | undefined;
    await worker.hold(async () => {
      const both = [submit(lease, knock.body)];
      await waitUntil('it is stored', async () => (await countStored(lease)) === 1);
      both.push(submitByOther());
      await waitUntil('it is stored for both', async () => (await countOpen(other)) === 1);
      expect([await countOpen(principal), await countOpen(stranger)]).toEqual([1, 0]);
      await failStored(lease, knock.body.signer, 2);
      await Promise.all(both);
      const before = await readInputs();
      expect(before).toMatchObject([{ status: 'FAILED' }]);
      again = submitByOther();
      await waitUntil('it waits again', async () => {
        const query = `select 1 from service.transactions where contract = $1 and kind = 'input' and state = 'accepted'`;
        return (await service.handle.pool.query(query, [lease.address])).rowCount === 1;
      });
      expect(await readInputs()).toEqual(before);
      // It waits for those alone who have sent it again.
      expect(await Promise.all([other, principal, stranger].map(countOpen))).toEqual([1, 0, 0]);
    });
    expect((await again)?.body.data).toMatchObject({ status: 'PENDING' });
    await waitUntil('it is mined for both', async () => {
      const query = `select 1 from service.inputs where agreement_address = $1 and status = 'MINED'`;
      return (await service.handle.pool.query(query, [lease.address])).rowCount === 2;
    });
  });

  test('mined inputs also count as predecessors until a reorg that removed them is folded', async () => {
    const { service, chain, worker } = setting;
    const { pool } = service.handle;
    const lease = await deploy();
    const account = createAccount();
    const { number: before } = await chain.client.getBlock();
    expect((await submit(lease, (await lease.sign(knockOf(account))).body)).status).toBe(200);
    const isMined = `select 1 from service.transactions where contract = $1 and kind = 'input' and state = 'mined'`;
    await waitUntil('it is folded', async () => (await pool.query(isMined, [lease.address])).rowCount === 1);
    const next = await lease.sign({ ...knockOf(account), nonce: 1n });
    await setting.holdFolding(async () => {
      const depth = Number((await chain.client.getBlock()).number - before);
      await chain.client.request({ method: 'anvil_reorg', params: [depth, []] } as never);
      const shown = 'select 1 from chain_index.permit_counts where contract = $1 and signer = $2';
      const place = [lease.address.toLowerCase(), account.address.toLowerCase()];
      await waitUntil('the index shows it no more', async () => {
        return (await pool.query(shown, place)).rowCount === 0;
      });
      await worker.hold(async () => {
        const answer = submit(lease, next.body);
        await waitUntil('it is stored', async () => (await countStored(lease)) === 2);
        // The stand-in worker would not find the input before it on the chain.
        await pool.query(
          `with ended as (
             update service.transactions set state = 'failed', failure = '{"reason": "permit_expired", "message": ""}', tx_hash = permit_digest
             where contract = $1 and permit_nonce = 1 and state = 'accepted' returning id)
           select pg_notify($2, id) from ended`,
          [lease.address, channels.transactionChanged],
        );
        expect((await answer).status).toBe(200);
      });
    });
    expect(asked).toEqual([]);
  });

  test('the rules of an agreement are not those of another one that a reorg puts at its address', async () => {
    const { service, chain } = setting;
    const { pool } = service.handle;
    const [landlord, other, tenant] = [createAccount(), createAccount(), createAccount()];
    const lease = buildLease(chain.token);
    const agreement = { ...lease, metadata: { ...lease.metadata, name: `Lease ${crypto.randomUUID()}` } };
    const valuesOf = (owner: Address) => ({ landlord: owner, tenant: tenant.address, rent: '5' });
    const before = await chain.client.getBlockNumber();
    const address = await deployDirectly(chain, { agreement, values: valuesOf(landlord.address) });
    const read = async (query: string) => (await pool.query(query, [address.toLowerCase()])).rowCount === 1;
    const adopt = async () => {
      const body = { address, chainId, agreement, displayName: 'Lease' };
      const { id } = recordShape.parse(
        (await principal.call('POST', '/v0/agreements/import', { body })).body.data,
      );
      const isDeployed = `select 1 from service.records where lower(address) = $1 and id = '${id}' and status = 'Deployed'`;
      await waitUntil('it is adopted', () => read(isDeployed));
      return id;
    };
    const appoint = async (id: string, account: typeof landlord, nonce = 0n) => {
      const input = { inputId: 'appoint', values: { keeper: tenant.address }, account, nonce };
      const signing = { ...input, agreement, agreementAddress: address, chainId };
      return outcome(await submit({ id }, (await signInput(signing)).body));
    };
    const notAllowed = { details: { reason: 'issuer_not_allowed' } };
    const first = await adopt();
    expect(await appoint(first, other)).toMatchObject(notAllowed);
    expect(asked).toEqual([]);

    const p = compileAgreement(agreement, { values: valuesOf(other.address) });
    const parts = [p.docUri, p.docHash, p.initialState, p.inputDefs, p.transitions, p.initVars] as const;
    const args = [...parts, p.verifiers, p.actions] as const;
    const data = encodeFunctionData({ abi: agreementFactoryAbi, functionName: 'createAgreement', args });
    const [, from] = await chain.client.getAddresses();
    const twin = { from, to: chain.factory, data, gas: '0x4c4b40' };
    const depth = Number((await chain.client.getBlockNumber()) - before);
    await chain.client.request({ method: 'anvil_reorg', params: [depth, [[twin, 0]]] } as never);
    await chain.client.mine({ blocks: 2 });
    await waitUntil('the former record is a draft', async () => {
      const query = `select 1 from service.records where id = $1 and status = 'Draft'`;
      return (await pool.query(query, [first])).rowCount === 1;
    });
    const second = await adopt();
    expect(await appoint(second, other)).toMatchObject({ status: 200 });
    // A node has decided once. From then on, the new agreement's rules are known.
    expect(asked).toContain('eth_estimateGas');
    asked.length = 0;
    expect(await appoint(second, landlord)).toMatchObject(notAllowed);
    expect(asked).toEqual([]);
  });

  test('a revert of what a node admitted is explained by a reorg that removed its block', async () => {
    const { service, chain, worker } = setting;
    const { pool } = service.handle;
    const byNode = await startApi({ ADMISSION: 'node' });
    const lease = await deploy();
    const { body } = await lease.sign(knockOf());
    await chain.client.mine({ blocks: 1 });
    const answer = await worker.hold(async () => {
      const sent = byNode(lease, body);
      await waitUntil('it is stored', async () => (await countStored(lease)) === 1);
      const [row] = await readAdmitted(lease);
      const explain = () =>
        explainRevert({ pool, client: chain.client }, { id: row?.id ?? '', blockNumber: undefined });
      expect(await explain()).toMatchObject({ by: 'node', race: 'none' });
      await chain.client.request({ method: 'anvil_reorg', params: [1, []] } as never);
      expect(await explain()).toMatchObject({ by: 'node', race: 'reorganisation' });
      return { sent };
    });
    expect((await answer.sent).status).toBe(200);
    asked.length = 0;
  });

  test('an input with an action is simulated by a node', async () => {
    const lease = await deploy();
    await submit(lease, (await lease.sign({ ...accept, account: lease.tenant })).body);
    expect(asked).toEqual([]);
    const pay = await lease.sign({ inputId: 'pay', values: {}, account: lease.landlord });
    // The tenant has no tokens, so the payment reverts.
    expect(outcome(await submit(lease, pay.body))).toMatchObject({ details: { reason: 'action_reverted' } });
    expect(asked).toContain('eth_estimateGas');
  });

  test('whether other contracts decide is noted with the input, by whichever way it is accepted', async () => {
    const byNode = await startApi({ ADMISSION: 'node' });
    for (const by of [submit, byNode]) {
      const lease = await deploy();
      const { body } = await lease.sign({ ...accept, account: lease.tenant });
      expect((await submit(lease, body)).status).toBe(200);
      const { tenant, address: agreement } = lease;
      await makeRentPayable(setting.chain, { tenant: tenant.address, agreement });
      const pay = await lease.sign({ inputId: 'pay', values: {}, account: lease.landlord });
      expect((await by(lease, pay.body)).status).toBe(200);
      const [accepted, paid] = await readAdmitted(lease);
      expect(accepted?.admission).toMatchObject({ by: 'local' });
      expect(accepted?.admission).not.toHaveProperty('isExternal');
      expect(paid?.admission).toMatchObject({ by: 'node', isExternal: true });
    }
  });
});

describe.each([
  ['where that is set', { ADMISSION: 'node' }],
  ['while the index is older than it may be', { ADMISSION_MAX_LAG_SECONDS: '0' }],
])('%s', (_, env) => {
  test('a node simulates each input', async () => {
    const submit = await startApi(env);
    const lease = await deploy();
    asked.length = 0;
    expect((await submit(lease, (await lease.sign(knockOf())).body)).status).toBe(200);
    expect(asked).toContain('eth_estimateGas');
  });
});

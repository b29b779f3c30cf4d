import { pino } from 'pino';
import { type Address, encodeFunctionData } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { awaitPoint } from '../../src/api/agreements/awaitConsistency.ts';
import { parseConsistency, writeConsistency } from '../../src/api/agreements/consistency.ts';
import { recordShape } from '../../src/api/shapes/resources.ts';
import { encodeInputPayload, nameHash } from '../../src/protocol/index.ts';
import { createChangeWatcher } from '../../src/records/agreements/changeWatcher.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { type Answer, createCall } from './support/call.ts';
import { buildLease } from './support/documents.ts';
import { createExplainedPool } from './support/explainedPool.ts';
import { type IndexedService, startIndexedService } from './support/indexedService.ts';
import { outcome } from './support/outcome.ts';
import { createAccount, signDeploy, signInput } from './support/permits.ts';
import { chainId } from './support/testChain.ts';
import { startTestApi, type TestPrincipal } from './support/testService.ts';

const otherChain = 84532;
let setting: IndexedService;
let principal: TestPrincipal;
beforeAll(async () => {
  setting = await startIndexedService({ DEPLOY_WAIT_MS: '1', CONSISTENCY_WAIT_MS: '120000' });
  principal = await setting.service.createPrincipal();
});
afterAll(() => setting?.close());

const get = (path: string, { call } = principal) => call('GET', `/v0/agreements${path}`);
const tokenOf = ({ body }: Answer) => String(body.meta?.consistency);

/** A deployment whose request is answered before its transaction is mined. */
async function deploy() {
  const { factory, token } = setting.chain;
  const account = createAccount();
  const agreement = buildLease(token);
  const initValues = { landlord: account.address, tenant: account.address, rent: '5' };
  const permit = await signDeploy({ account, agreement, values: initValues, chainId, factory });
  const body = { agreement, displayName: 'Lease', chainId, initValues, ...permit };
  const answer = await principal.call('POST', '/v0/agreements/deploy-with-permit', { body });
  return { account, agreement, answer, id: recordShape.parse(answer.body.data).id };
}

/** A Deployed lease, with functions to accept it or to use up that permit's nonce. */
async function deployLease() {
  const { account, agreement, answer, id } = await deploy();
  const { data } = (await get(`/${id}?consistency=${tokenOf(answer)}`)).body;
  const { address } = recordShape.parse(data);
  const agreementAddress: Address = `0x${address?.slice(2)}`;
  const sign = async (inputId: string, values: Record<string, string>) =>
    (await signInput({ account, agreement, agreementAddress, chainId, inputId, values })).body;
  const body = await sign('accept', { months: '4', remark: 'gladly' });
  return {
    id,
    account,
    accept: () => principal.call('POST', `/v0/agreements/${id}/input`, { body }),
    /** Uses up the nonce of the `accept` input with another input. */
    async supersede() {
      const { signer, deadline, signature } = await sign('knock', {});
      const data = encodeFunctionData({
        abi: agreementEngineAbi,
        functionName: 'submitInputWithPermit',
        args: [
          signer,
          nameHash('knock'),
          encodeInputPayload(agreement, 'knock', {}),
          BigInt(deadline),
          signature.v,
          signature.r,
          signature.s,
        ],
      });
      await setting.chain.send(agreementAddress, data);
    },
  };
}

/** Marks this wallet's accepted transaction as broadcast, as the relay does. */
async function pretendSent({ account }: Awaited<ReturnType<typeof deployLease>>): Promise<void> {
  await waitUntil('the input is stored', async () => {
    const { rowCount } = await setting.service.handle.pool.query(
      `with sent as (
         update service.transactions set state = 'broadcast', tx_hash = $2
         where signer = $1 and state = 'accepted' returning id)
       select pg_notify('transaction_changed', id) from sent`,
      [account.address, `0x${'1'.repeat(64)}`],
    );
    return rowCount === 1;
  });
}

describe('a read with the token of a write', () => {
  test('shows the deployment that was not mined when it was answered', async () => {
    const { id, answer } = await setting.holdFolding(deploy);
    expect(answer.body.data).toMatchObject({ status: 'Draft' });
    const read = await get(`/${id}?consistency=${tokenOf(answer)}`);
    expect(read.body.data).toMatchObject({ id, status: 'Deployed', state: 'OFFERED' });
  });

  test('shows the input that was not mined when it was answered, in state, record, list, history and simulation', async () => {
    const { id, accept } = await deployLease();
    const answer = await setting.holdFolding(accept);
    expect(answer.body.data).toMatchObject({ status: 'PENDING' });
    const token = tokenOf(answer);
    const simulate = `/v0/agreements/${id}/simulate?consistency=${token}`;
    const [simulation, state, history, list, record] = await Promise.all([
      principal.call('POST', simulate, { body: { steps: [] } }),
      get(`/${id}/state?consistency=${token}`),
      get(`/${id}/inputs?consistency=${token}`),
      get(`?consistency=${token}&state=ACTIVE`),
      get(`/${id}?consistency=${token}`),
    ]);
    expect(simulation.body.data).toMatchObject({ state: 'ACTIVE', steps: [] });
    expect(state.body.data).toMatchObject({ state: 'ACTIVE' });
    expect(history.body.data).toMatchObject([{ inputId: 'accept', status: 'MINED' }]);
    expect(list.body.data).toContainEqual(expect.objectContaining({ id, lastInputId: 'accept' }));
    expect(record.body.data).toMatchObject({ state: 'ACTIVE', variables: { remark: 'gladly' } });

    // Sent again, the input is already known, with its block.
    const known = tokenOf(await accept());
    expect(known).not.toBe(token);
    expect((await get(`/${id}/state?consistency=${known}`)).status).toBe(200);
  });

  test('shows that an input has failed', async () => {
    const lease = await deployLease();
    const { worker, holdFolding } = setting;
    const token = await worker.hold(() =>
      holdFolding(async () => {
        const answering = lease.accept();
        await pretendSent(lease);
        const answer = await answering;
        expect(answer.body.data).toMatchObject({ status: 'PENDING' });
        await lease.supersede();
        return tokenOf(answer);
      }),
    );
    expect((await get(`/${lease.id}/inputs?consistency=${token}&inputId=accept`)).body.data).toMatchObject([
      { status: 'FAILED', error: { reason: 'permit_superseded' } },
    ]);
  });

  test('waits for the index, and gives up in time with an answer that says so', async () => {
    const { id, accept } = await deployLease();
    const hasty = await startTestApi(setting.service.databaseUrl, { env: { CONSISTENCY_WAIT_MS: '300' } });
    const call = createCall(hasty.baseUrl, principal.key);
    const path = await setting.holdFolding(async () => {
      const waiting = `/${id}/state?consistency=${tokenOf(await accept())}`;
      const early = await get(waiting, { ...principal, call });
      expect(outcome(early)).toMatchObject({ status: 503, code: 'chain_unavailable' });
      expect(early.headers.get('retry-after')).toBe('2');
      return waiting;
    });
    expect((await get(path)).body.data).toMatchObject({ state: 'ACTIVE' });
    await hasty.close();
  });
});

describe('a token', () => {
  const point = (blockNumber: number, chain = chainId) => ({
    chainId: chain,
    blockNumber,
    recordId: null,
    inputId: null,
  });

  test('of a block is satisfied once the chain is folded to it', async () => {
    const { client } = setting.chain;
    const next = Number(await client.getBlockNumber()) + 1;
    const waiting = get(`?consistency=${writeConsistency([point(next)])}`);
    await client.mine({ blocks: 1 });
    expect((await waiting).status).toBe(200);
  });

  test('may be combined with others, also of other chains', async () => {
    const { client } = setting.chain;
    const next = Number(await client.getBlockNumber()) + 1;
    const tokens = [point(next), point(7, otherChain)].map((one) => writeConsistency([one]));
    const waiting = get(`?consistency=${tokens.join(',')}`);
    await client.mine({ blocks: 1 });
    await setting.service.handle.pool.query(
      `with folded as (
         insert into service.projections (chain_id, head_number, head_hash, head_timestamp) values ($1, 7, '0x', now())
         returning chain_id)
       select pg_notify('chain_folded', chain_id::text) from folded`,
      [otherChain],
    );
    expect((await waiting).status).toBe(200);
  });

  test('is read together with others of its principal, so that many waits leave the database to others', async () => {
    const { databaseUrl } = setting.service;
    const explained = createExplainedPool(databaseUrl, {});
    const changes = createChangeWatcher({
      databaseUrl,
      onAccessChanged() {},
      logger: pino({ level: 'silent' }),
    });
    try {
      const waits = Array.from({ length: 320 }, (_, at) =>
        awaitPoint(
          { point: point(4_000_000_000 + at), principalId: principal.id, timeoutMs: 0 },
          { pool: explained.pool, changes },
        ),
      );
      expect(new Set(await Promise.all(waits))).toEqual(new Set([false]));
      expect(explained.takeEfforts().length).toBeLessThan(40);
    } finally {
      await changes.close();
      await explained.pool.end();
    }
  });

  test('counts equal points once', () => {
    const points = [point(1), point(2), point(1)];
    expect(parseConsistency(points.map((one) => writeConsistency([one])).join(','))).toEqual([
      point(1),
      point(2),
    ]);
  });

  test('that names nothing is waited for by no read', async () => {
    expect((await get(`?consistency=${writeConsistency([])}`)).status).toBe(200);
  });

  test.each([
    ['no token', 'hello'],
    ['empty', ''],
    ['of a chain that is not followed', writeConsistency([point(1, 1)])],
    ['of a record that is not there', writeConsistency([{ ...point(1), recordId: `agr_${'0'.repeat(32)}` }])],
    ['of an input without its record', writeConsistency([{ ...point(1), inputId: `inp_${'0'.repeat(32)}` }])],
    [
      'of what no id can be',
      Buffer.from(JSON.stringify([[chainId, 1, 'agr_\0', null]])).toString('base64url'),
    ],
    ['beside one that is none', `${writeConsistency([])},x`],
  ])('that is %s is refused', async (_, token) => {
    const answer = await get(`?consistency=${encodeURIComponent(token)}`);
    expect(outcome(answer)).toMatchObject({ status: 400, details: { field: 'consistency' } });
  });

  test("of another principal's write is refused, as is one of a record's input that is another record's", async () => {
    const { id, answer } = await deploy();
    const other = await setting.service.createPrincipal();
    const refusal = { status: 400, details: { field: 'consistency' } };
    expect(outcome(await get(`?consistency=${tokenOf(answer)}`, other))).toMatchObject(refusal);
    const { accept } = await deployLease();
    const { id: inputId } = recordShape.pick({ id: true }).parse((await accept()).body.data);
    const mixed = writeConsistency([{ chainId, blockNumber: null, recordId: id, inputId }]);
    expect(outcome(await get(`?consistency=${mixed}`))).toMatchObject(refusal);
  });

  test('is nothing that a write takes', async () => {
    const path = `/v0/agreements/validate-template?consistency=${writeConsistency([])}`;
    const answer = await principal.call('POST', path, { body: {} });
    expect(outcome(answer)).toMatchObject({ status: 400, details: { field: 'consistency' } });
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { type Hex, keccak256 } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeNewInput } from '../../src/api/agreements/storeNewInput.ts';
import { newPortalLinkShape } from '../../src/api/shapes/sessionShapes.ts';
import { subscriptionShape } from '../../src/api/shapes/webhookShapes.ts';
import { channels } from '../../src/platform/database/channels.ts';
import { createId } from '../../src/platform/database/ids.ts';
import { readLockWaits } from '../support/lockWaits.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { accept } from './inputs/support/inputScene.ts';
import { createBrowser } from './sessions/support/browser.ts';
import { startWorkedService, type WorkedService } from './support/chainService.ts';
import { deployLease, type Lease } from './support/leases.ts';
import { createAccount, inAnHour, signDeploy } from './support/permits.ts';
import { chainId } from './support/testChain.ts';
import type { TestPrincipal } from './support/testService.ts';

/** More than the API has connections to the database. */
const many = 30;
/** In which all of them have come to the database, or wait for it. */
const usualSettleMs = 500;
const url = 'http://127.0.0.1:9/';

let scene: WorkedService;
let other: TestPrincipal;
let lease: Lease;
let webhookId: string;
let portalSecret: string;
let sentInput: unknown;
let deployBody: unknown;
beforeAll(async () => {
  const rates = { RATE_LIMIT_WRITES: '1000', WEBHOOK_ALLOWED_TARGETS: '127.0.0.0/8' };
  scene = await startWorkedService({ DEPLOY_WAIT_MS: '1', SIGNING_WAIT_MS: '120000', ...rates });
  other = await scene.service.createPrincipal();
  lease = await deployLease(scene.principal, scene);
  const created = await scene.principal.call('POST', '/v0/webhooks', { body: { url } });
  webhookId = subscriptionShape.parse(created.body.data).id;
  const link = await scene.principal.call('POST', '/v0/sessions/links');
  portalSecret = new URL(newPortalLinkShape.parse(link.body.data).url).hash.slice(1);
  await scene.worker.hold(async () => {
    sentInput = await failInput();
    deployBody = await failDeployment();
  });
});
afterAll(() => scene?.close());

const sendInput = (body: unknown) =>
  scene.principal.call('POST', `/v0/agreements/${lease.id}/input`, { body });
const deploy = (body: unknown) => scene.principal.call('POST', '/v0/agreements/deploy-with-permit', { body });

/** An input of the tenant whose transaction has failed. */
async function failInput() {
  const { body } = await lease.sign({ ...accept, account: lease.tenant });
  const sent = sendInput(body);
  await failTransaction('input');
  expect((await sent).status).toBe(200);
  return body;
}

/** A deployment whose transaction has failed. */
async function failDeployment() {
  const body = await signLease();
  expect((await deploy(body)).status).toBe(200);
  await failTransaction('deploy');
  return body;
}

async function signLease() {
  const account = createAccount();
  const { agreement } = lease;
  const initValues = { landlord: account.address, tenant: lease.tenant.address, rent: '5' };
  const { factory } = scene.chain;
  const permit = await signDeploy({ account, agreement, values: initValues, chainId, factory });
  return { agreement, displayName: 'Lease', chainId, initValues, ...permit };
}

async function failTransaction(kind: 'input' | 'deploy') {
  const { pool } = scene.service.handle;
  const failure = '{"reason":"x","message":"y"}';
  const fail = async () => {
    const text = `update service.transactions set state = 'failed', failure = $2 where kind = $1 and state = 'accepted' returning id`;
    return (await pool.query<{ id: string }>(text, [kind, failure])).rows[0]?.id;
  };
  let id: string | undefined;
  await waitUntil('it is stored', async () => {
    id = await fail();
    return id !== undefined;
  });
  await pool.query(`update service.inputs set status = 'FAILED', error = $2 where transaction_id = $1`, [
    id,
    failure,
  ]);
  await pool.query('update service.records set error = $2 where deploy_transaction_id = $1', [id, failure]);
  await pool.query('select pg_notify($1, $2)', [channels.transactionChanged, id]);
}

const lockOfFold = () => ({
  text: 'select from service.records where id = $1 for no key update',
  values: [lease.id],
});
const lockOfRelease = () => ({
  text: 'select from service.event_feeds where principal_id = $1 for update',
  values: [scene.principal.id],
});
const lockOfPrincipal = () => ({
  text: 'select from service.principals where id = $1 for no key update',
  values: [scene.principal.id],
});
const lockOfTransactions = () => ({
  text: 'select from service.transactions where principal_id = $1 for update',
  values: [scene.principal.id],
});
const changeOfTransactions = () => ({
  text: 'update service.transactions set updated_at = now() where principal_id = $1',
  values: [scene.principal.id],
});
const documentId = 'the-house';
/** The record of the lease takes this document id, and has not committed it. */
const changeOfRecord = () => ({
  text: 'update service.records set document_id = $2 where id = $1',
  values: [lease.id, documentId],
});

test.for([
  {
    what: 'access to a record that is being folded',
    lock: lockOfFold,
    ask: () =>
      scene.principal.call('PATCH', `/v0/agreements/${lease.id}`, { body: { participantAccess: 'sign' } }),
  },
  {
    what: 'links to a record that is being folded',
    lock: lockOfFold,
    ask: () => scene.principal.call('POST', `/v0/agreements/${lease.id}/links`, { body: { may: 'read' } }),
  },
  {
    what: 'webhooks while events are released',
    lock: lockOfRelease,
    ask: () => scene.principal.call('POST', '/v0/webhooks', { body: { url } }),
  },
  {
    what: 'changes of a webhook while events are released',
    lock: lockOfRelease,
    ask: () => scene.principal.call('PATCH', `/v0/webhooks/${webhookId}`, { body: { url } }),
  },
  {
    what: 'portal links of a principal that is locked',
    lock: lockOfPrincipal,
    ask: () => scene.principal.call('POST', '/v0/sessions/links'),
  },
  {
    what: 'sessions of a principal that is locked',
    lock: lockOfPrincipal,
    ask: () => scene.principal.call('POST', '/v0/sessions', { body: {} }),
  },
  {
    what: 'the session of a portal link of a principal that is locked',
    lock: lockOfPrincipal,
    ask: () =>
      createBrowser(scene.service.baseUrl).call('POST', '/v0/sessions', { body: { link: portalSecret } }),
  },
  {
    what: 'inputs sent again whose transaction is locked',
    lock: lockOfTransactions,
    ask: () => sendInput(sentInput),
  },
  {
    what: 'deployments sent again whose transaction a fold is changing',
    lock: changeOfTransactions,
    ask: () => deploy(deployBody),
    // Documents are checked one at a time.
    settleMs: 2_500,
  },
  {
    what: 'drafts under the document id of a record that is being changed',
    lock: changeOfRecord,
    ask: async () => {
      const { agreement, chainId, displayName, initValues, signer } = await signLease();
      const body = { agreement, chainId, displayName, initValues, signer, documentId };
      return scene.principal.call('POST', '/v0/agreements/drafts', { body });
    },
  },
])(
  'requests for $what leave connections to other principals',
  async ({ lock, ask, settleMs = usualSettleMs }) => {
    const client = await scene.service.handle.pool.connect();
    let asked: Promise<{ status: number }>[] = [];
    try {
      await client.query('begin');
      await client.query(lock());
      let answered = 0;
      asked = Array.from({ length: many }, async () => {
        const answer = await ask();
        answered++;
        return answer;
      });
      const countWaiting = async () => (await readLockWaits(scene.service.handle.pool)).length;
      await expect.poll(countWaiting).toBeGreaterThan(0);
      await delay(settleMs);
      expect((await other.call('GET', '/v0/agreements')).status).toBe(200);
      // Nobody had to give up a connection for it.
      expect(answered).toBe(0);
    } finally {
      await client.query('rollback');
      client.release();
    }
    const answers = await Promise.all(asked);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  },
);

test('an input whose permit a fold is changing delays no input of another principal', () =>
  scene.worker.hold(async () => {
    const { pool } = scene.service.handle;
    const signer = lease.tenant.address;
    const find = `select permit_digest as "permitDigest", content_hash as "contentHash", call_data as "callData"
    from service.transactions where signer = $1 and kind = 'input'`;
    const { rows } = await pool.query<Record<'permitDigest' | 'contentHash' | 'callData', Hex>>(find, [
      signer,
    ]);
    const [known] = rows;
    if (!known) throw new Error('there is no input');
    const store = (principalId: string, own: { permitDigest: Hex; permitNonce: bigint }) =>
      storeNewInput(pool, {
        transactionId: createId('txn'),
        transaction: {
          ...{ ...known, ...own, chainId, signer, contract: lease.address },
          ...{ deadline: BigInt(inAnHour()), gasEstimate: null, requestId: undefined },
        },
        input: {
          ...{ recordId: lease.id, inputId: 'accept', principalId },
          ...{ payload: '0x', values: {} },
        },
      });
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query(changeOfTransactions());
      const repeated = store(scene.principal.id, { permitDigest: known.permitDigest, permitNonce: 0n });
      const stored = await store(other.id, { permitDigest: keccak256('0x01'), permitNonce: 9n });
      expect(stored).toBeDefined();
      await client.query('rollback');
      expect(await repeated).toBeUndefined();
    } finally {
      await client.query('rollback');
      client.release();
    }
    // The chain would refuse it.
    await pool.query('delete from service.inputs where user_id = $1', [other.id]);
    await pool.query('delete from service.transactions where principal_id = $1', [other.id]);
  }));

import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { numberToHex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { verifyEvidence } from '../../src/protocol/evidence/verifyEvidence.ts';
import { readObject } from '../evidence/editJson.ts';
import { readLockWaits } from '../support/lockWaits.ts';
import { createDisturbedNode, type RpcCall } from '../support/relayNode.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { createCall } from './support/call.ts';
import { deployDirectly, submitDirectly } from './support/directDeployment.ts';
import { buildLease } from './support/documents.ts';
import { type EvidenceWorld, startEvidenceWorld } from './support/evidenceWorld.ts';
import { outcome } from './support/outcome.ts';
import { createAccount } from './support/permits.ts';
import { chainId } from './support/testChain.ts';
import { startTestApi } from './support/testService.ts';

let world: EvidenceWorld;
beforeAll(async () => {
  world = await startEvidenceWorld();
});
afterAll(() => world?.close());

/** Reads the evidence file from an API whose node is disturbed. */
async function readThrough(id: string, disturb: Parameters<typeof createDisturbedNode>[1]): Promise<string> {
  const node = await createDisturbedNode(world.chain.rpcUrl, disturb);
  const api = await startTestApi(world.service.databaseUrl, {
    rpcUrls: { [chainId]: node.url },
    env: { EVIDENCE_WAIT_MS: '120000' },
  });
  try {
    const headers = { 'x-api-key': world.principal.key };
    return await (await fetch(`${api.baseUrl}/v0/agreements/${id}/evidence`, { headers })).text();
  } finally {
    await api.close();
    await node.close();
  }
}

function isBlockOfNumber({ method, params }: RpcCall): boolean {
  return method === 'eth_getBlockByNumber' && String(params[0]).startsWith('0x');
}

describe('evidence', () => {
  test('of a signed agreement with an action, direct inputs and several signers holds without the service', async () => {
    const lease = await world.playLease();
    const file = await world.readFile(lease.id);
    const verdict = await verifyEvidence(file);
    expect(verdict).toMatchObject({
      ok: true,
      level: 'included',
      name: 'Lease',
      agreement: { docHash: lease.docHash, owner: lease.landlord.address.toLowerCase(), state: 'PAID' },
      acts: [
        {
          by: 'permit',
          actor: lease.landlord.address.toLowerCase(),
          roles: ['landlord'],
          toState: 'OFFERED',
        },
        { by: 'permit', input: 'appoint', roles: ['landlord'] },
        { by: 'transaction', input: 'knock' },
        { by: 'permit', input: 'accept', roles: ['tenant'], toState: 'ACTIVE' },
        { by: 'permit', input: 'pay', toState: 'PAID', called: world.chain.token.toLowerCase() },
      ],
      storage: { blockNumber: expect.any(Number), isLayoutKnown: false },
    });
  });

  test('is refused for an agreement that another contract has deployed: nobody knows its first values', async () => {
    const { id } = await world.playDirectLease({ isIndirect: true });
    await world.catchUp();
    const response = await world.readEvidence(id);
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ error: { details: { reason: 'values_unknown' } } });
  });

  test('is refused for steps that the document does not allow, as the contract has other rules', async () => {
    const { chain } = world;
    const readAs = buildLease(chain.token);
    const { execution } = readAs;
    const transitions = execution.transitions.filter(({ from, to }) => from !== to);
    const agreement = { ...readAs, execution: { ...execution, transitions } };
    const [, landlord = '0x', tenant = '0x'] = await chain.client.getAddresses();
    const values = { landlord, tenant, rent: '5' };
    const address = await deployDirectly(chain, { agreement, values, readAs });
    const knock = { from: tenant, to: address, agreement, inputId: 'knock', values: {} };
    await submitDirectly(chain, knock);
    const { id } = await world.adopt(agreement, address);
    await world.catchUp();
    const response = await world.readEvidence(id);
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({
      error: { details: { reason: 'not_provable', position: 1, cause: expect.stringContaining('input') } },
    });
  });

  test.each([
    ['has a byte that no text can hold', 'https://lease.example/\0'],
    ['begins with a byte order mark', '\ufeffhttps://lease.example'],
    ['is longer than a record shows', `https://lease.example/${'x'.repeat(2_100)}`],
  ])('is refused for an agreement whose docUri %s', async (_, docUri) => {
    const { chain } = world;
    const agreement = buildLease(chain.token);
    const [, landlord = '0x', tenant = '0x'] = await chain.client.getAddresses();
    const values = { landlord, tenant, rent: '5' };
    const address = await deployDirectly(chain, { agreement, values, docUri });
    const { id } = await world.adopt(agreement, address);
    await world.catchUp();
    const response = await world.readEvidence(id);
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ error: { details: { reason: 'not_provable' } } });
  });

  test('is refused where a development chain has impersonated a sender: the signature names somebody else', async () => {
    const { chain } = world;
    const agreement = buildLease(chain.token);
    const [, landlord = '0x', tenant = '0x'] = await chain.client.getAddresses();
    const address = await deployDirectly(chain, { agreement, values: { landlord, tenant, rent: '5' } });
    const stranger = createAccount().address;
    await chain.client.setBalance({ address: stranger, value: 10n ** 18n });
    await chain.client.impersonateAccount({ address: stranger });
    await submitDirectly(chain, { from: stranger, to: address, agreement, inputId: 'knock', values: {} });
    const { id } = await world.adopt(agreement, address);
    await world.catchUp();
    const response = await world.readEvidence(id);
    expect(response.status).toBe(409);
    const transactionHash = expect.stringMatching(/^0x[0-9a-f]{64}$/);
    expect(await response.json()).toMatchObject({
      error: { details: { reason: 'not_provable', transactionHash } },
    });
  });

  test('follows the chain where a reorg has removed a step', async () => {
    const { id, address, agreement } = await world.playDirectLease();
    const before = await world.readFile(id);
    const { chain } = world;
    const [, landlord = '0x'] = await chain.client.getAddresses();
    await chain.client.request({ method: 'anvil_reorg', params: [3, []] } as never);
    await submitDirectly(chain, { from: landlord, to: address, agreement, inputId: 'knock', values: {} });
    await world.catchUp();
    await expect
      .poll(async () => {
        const verdict = await verifyEvidence(await world.readFile(id));
        return verdict.ok ? verdict.acts.map(({ input }) => input) : verdict;
      })
      .not.toEqual([null, 'knock', 'accept']);
    const after = await world.readFile(id);
    expect(await verifyEvidence(after)).toMatchObject({ ok: true, level: 'included' });
    expect(readObject(after).blocks).not.toEqual(readObject(before).blocks);
  });

  test('is collected again where the index was locked for a reorg meanwhile', async () => {
    const { id } = await world.playDirectLease();
    await world.catchUp();
    const { pool } = world.service.handle;
    const deadlock = async (): Promise<'the reader gave way' | undefined> => {
      const indexer = await pool.connect();
      try {
        await indexer.query('begin');
        await indexer.query('lock table chain_index.heads in access exclusive mode');
        const asked = world.readEvidence(id);
        await waitUntil(
          'the reader holds one table and waits for the other',
          async () => (await readLockWaits(pool, '"headNumber"')).length > 0,
        );
        const locked = await indexer.query('lock table chain_index.agreements in access exclusive mode').then(
          () => true,
          () => false,
        );
        await indexer.query('rollback');
        expect(await verifyEvidence(await (await asked).text())).toMatchObject({ ok: true });
        return locked ? 'the reader gave way' : undefined;
      } finally {
        indexer.release(true);
      }
    };
    // The database chooses which side to abort; on a slow machine it aborts the indexer.
    await waitUntil('the reader gives way', deadlock);
  });

  test('is collected again if the history changes after the node was asked about it', async () => {
    const { id } = await world.playDirectLease();
    await world.catchUp();
    const { client } = world.chain;
    let isDue = true;
    const file = await readThrough(id, async (call) => {
      if (!isDue || !isBlockOfNumber(call)) return undefined;
      isDue = false;
      const result: unknown = await client.request(call as never);
      await client.request({ method: 'anvil_reorg', params: [2, []] } as never);
      await world.catchUp();
      return { result };
    });
    const verdict = await verifyEvidence(file);
    expect(verdict.ok && verdict.acts.map(({ input }) => input)).toEqual([null, 'knock']);
  });

  test('is collected again if a node has another block than the newest of the index', async () => {
    const { id } = await world.playDirectLease();
    await world.catchUp();
    let asked = 0;
    const file = await readThrough(id, async (call) => {
      if (!isBlockOfNumber(call) || asked++ > 0) return undefined;
      const block: unknown = await world.chain.client.request(call as never);
      return { result: { ...Object(block), hash: `0x${'77'.repeat(32)}` } };
    });
    expect(await verifyEvidence(file)).toMatchObject({ ok: true, level: 'included' });
    expect(asked).toBe(2);
  });

  test('has no proof of the state if a node gives that of another block', async () => {
    const { id } = await world.playDirectLease();
    await world.catchUp();
    const earlier = numberToHex((await world.chain.client.getBlockNumber()) - 2n);
    const file = await readThrough(id, ({ method, params }) =>
      method === 'eth_getProof' ? { params: params.with(2, earlier) } : undefined,
    );
    expect(readObject(file)).toMatchObject({ notes: ['no_state_proof'], state: null });
    expect(await verifyEvidence(file)).toMatchObject({ ok: true, level: 'included' });
  });

  test('is a page for readers who print it, whatever the agreement is called', async () => {
    const lease = await world.playLease();
    const response = await world.readEvidence(lease.id, 'text/html');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const page = await response.text();
    expect(page).toContain('Who signed what, and when');
    expect(page).toContain('accept');
    expect(page).toContain('What this does not show');
  });

  test('is for the principal of the record alone, and for what is deployed', async () => {
    const lease = await world.playDirectLease();
    const stranger = await world.service.createPrincipal();
    expect((await world.readEvidence(lease.id, 'application/json', stranger.key)).status).toBe(403);
    expect((await world.readEvidence('agr_none')).status).toBe(404);
  });

  test('says how far it has come where blocks take longer to prove than a request waits', async () => {
    const { id } = await world.playDirectLease();
    const { databaseUrl } = world.service;
    const impatient = await startTestApi(databaseUrl, {
      rpcUrls: { [chainId]: world.chain.rpcUrl },
      env: { EVIDENCE_WAIT_MS: '0' },
    });
    try {
      const ask = createCall(impatient.baseUrl, world.principal.key);
      const first = await ask('GET', `/v0/agreements/${id}/evidence`);
      expect(first.status).toBe(202);
      expect(first.body.data).toMatchObject({ status: 'collecting' });
      expect(first.headers.get('retry-after')).toBe('2');
    } finally {
      await impatient.close();
    }
  });

  test('takes no place of a file when only its headers are asked for', async () => {
    const { id } = await world.playDirectLease();
    await world.catchUp();
    const call = createCall(world.service.baseUrl, world.principal.key);
    for (let at = 0; at < 12; at++) {
      const { status, headers } = await call('HEAD', `/v0/agreements/${id}/evidence`);
      expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
    }
    expect((await call('GET', `/v0/agreements/${id}/evidence`)).status).toBe(200);
  });

  test('is refused for more inputs or bytes than the service gives evidence of, and says how many these are', async () => {
    const { id } = await world.playDirectLease();
    await world.catchUp();
    const readWith = async (env: Record<string, string>) => {
      const api = await startTestApi(world.service.databaseUrl, {
        rpcUrls: { [chainId]: world.chain.rpcUrl },
        env: { EVIDENCE_WAIT_MS: '120000', ...env },
      });
      try {
        return outcome(
          await createCall(api.baseUrl, world.principal.key)('GET', `/v0/agreements/${id}/evidence`),
        );
      } finally {
        await api.close();
      }
    };
    expect(await readWith({ EVIDENCE_INPUTS_MAX: '1' })).toMatchObject({
      status: 409,
      message: 'The agreement has 2 inputs. Evidence is given of agreements with up to 1 inputs.',
      details: { reason: 'evidence_too_long', inputCount: 2, limit: 1 },
    });
    expect(await readWith({ EVIDENCE_INPUTS_MAX: '2' })).toMatchObject({ status: 200 });
    expect(await readWith({ EVIDENCE_BYTES_MAX: '5000' })).toMatchObject({
      status: 409,
      details: { reason: 'evidence_too_long', limitBytes: 5_000 },
    });
  });

  test('has a schema that is published as it is committed, and that every file fits', async () => {
    const { id } = await world.playDirectLease();
    const served: unknown = await (await fetch(`${world.service.baseUrl}/v0/evidence.schema.json`)).json();
    const path = fileURLToPath(new URL('../../docs/evidence.schema.json', import.meta.url));
    await expect(`${JSON.stringify(served, null, 2)}\n`).toMatchFileSnapshot(path);
    const validate = addFormats
      .default(new Ajv2020({ strict: false }))
      .compile(z.record(z.string(), z.unknown()).parse(served));
    expect(validate(JSON.parse(await world.readFile(id))), JSON.stringify(validate.errors)).toBe(true);
  });
});

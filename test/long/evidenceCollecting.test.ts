import { createPublicClient, http } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectEvidence } from '../../src/api/evidence/collectEvidence.ts';
import { type Collecting, TurnOverError } from '../../src/api/evidence/collecting.ts';
import { createEvidenceSource, type EvidenceSource } from '../../src/api/evidence/evidenceSource.ts';
import { readEvidenceRecord } from '../../src/api/evidence/evidenceSubject.ts';
import { forgetProofs } from '../../src/api/evidence/forgetProofs.ts';
import { writeEvidence } from '../../src/api/evidence/writeEvidence.ts';
import { recordShape } from '../../src/api/shapes/resources.ts';
import { createDatabase } from '../../src/platform/database/database.ts';
import { mostEvidenceBytes } from '../../src/protocol/evidence/readEvidence.ts';
import { createQuotaKeeper } from '../../src/records/quotas/quotaKeeper.ts';
import { readQuotas, setQuota } from '../../src/records/quotas/quotas.ts';
import { silent } from '../service/projector/support/setup.ts';
import { deployDirectly, submitDirectly } from '../service/support/directDeployment.ts';
import { buildLease } from '../service/support/documents.ts';
import { type EvidenceWorld, startEvidenceWorld } from '../service/support/evidenceWorld.ts';
import { createExplainedPool } from '../service/support/explainedPool.ts';
import { createAccount } from '../service/support/permits.ts';
import { chainId } from '../service/support/testChain.ts';

let world: EvidenceWorld;
let database: ReturnType<typeof createDatabase>;
beforeAll(async () => {
  world = await startEvidenceWorld();
  database = createDatabase({
    ...{ url: world.service.databaseUrl, applicationName: 'evidence', maxConnections: 3 },
    ...{ readsTogether: true, logger: silent },
  });
});
afterAll(async () => {
  await database?.close();
  await world?.close();
});

const openSource = (settings: Partial<EvidenceSource> = {}) =>
  createEvidenceSource(settings.pool ?? database.pool, {
    ...{ charactersPerSecond: 100_000_000, mostInputs: 1_000, mostBytes: mostEvidenceBytes },
    quotas: { check: () => Promise.resolve(), note() {} },
    ...{ publicBaseUrl: 'https://agreements.example', areOthersWaiting: () => false, ...settings },
  });

/** Collects the evidence of a record, by default without giving way. */
async function collect(
  { id, principalId = world.principal.id }: { id: string; principalId?: string },
  { source = openSource(), ...more }: Partial<Omit<Collecting, 'record' | 'client'>> = {},
) {
  const record = await readEvidenceRecord(source, { reference: { id }, principalId });
  const client = createPublicClient({ transport: http(world.chain.rpcUrl) });
  const signal = AbortSignal.timeout(120_000);
  return collectEvidence({
    ...{ source, client, record, signal, onProgress() {}, isTurnOver: () => false },
    ...more,
  });
}

describe('a collection of evidence', () => {
  test('begins anew for each principal, who does not learn that another one holds the agreement; and goes on where it gave way', async () => {
    const { service, principal } = world;
    const lease = await world.playDirectLease();
    await world.catchUp();
    const other = await service.createPrincipal();
    const body = { chainId, address: lease.address, agreement: lease.agreement, displayName: 'Adopted' };
    const { id } = recordShape.parse((await other.call('POST', '/v0/agreements/import', { body })).body.data);
    /** Blocks proved at the beginning, and all blocks; and whether it gave way before the end. */
    const collectOf = async (recordId: string, principalId: string, isTurnOver = () => false) => {
      const progress: number[][] = [];
      const onProgress = (...step: number[]) => progress.push(step);
      const end = await collect({ id: recordId, principalId }, { onProgress, isTurnOver }).catch(
        (error: unknown) => error,
      );
      return { began: progress[0], gaveWay: end instanceof TurnOverError };
    };
    const isOver = () => true;
    expect(await collectOf(lease.id, principal.id)).toEqual({ began: [0, 3], gaveWay: false });
    expect(await collectOf(lease.id, principal.id)).toEqual({ began: [3, 3], gaveWay: false });
    expect(await collectOf(id, other.id, isOver)).toEqual({ began: [0, 3], gaveWay: true });
    // Two blocks are under way at a time, and each of them is kept.
    expect(await collectOf(id, other.id, isOver)).toEqual({ began: [2, 3], gaveWay: true });
    expect(await collectOf(id, other.id)).toEqual({ began: [3, 3], gaveWay: false });
  });

  test('gives way, or ends with the service, between any two steps and before each proof of the state', async () => {
    const { id } = await world.playDirectLease();
    await world.catchUp();
    await collect({ id });
    let asked = 0;
    await collect({ id }, { isTurnOver: () => ++asked < 0 });
    // Three transactions, two steps, the place of the state, and its only proof.
    expect(asked).toBe(7);
    for (let last = 1; last <= asked; last++) {
      let left = last;
      await expect(collect({ id }, { isTurnOver: () => --left === 0 })).rejects.toThrow(TurnOverError);
      const ending = new AbortController();
      left = last;
      const isTurnOver = () => {
        if (--left === 0) ending.abort(new Error('stopping'));
        return false;
      };
      const ended = collect({ id }, { isTurnOver, signal: ending.signal });
      if (last < asked) await expect(ended).rejects.toThrow('stopping');
      else await ended;
    }
  });

  test('knows the size of the file to the byte, and is refused for one byte more than files may have', async () => {
    const { chain } = world;
    const [landlord, tenant] = [createAccount(), createAccount()];
    const lease = buildLease(chain.token);
    const agreement = { ...lease, metadata: { ...lease.metadata, name: 'Miete für „家“' } };
    const values = { landlord: landlord.address, tenant: tenant.address, rent: '5' };
    const address = await world.deployPermitted(landlord, agreement, values);
    const act = { agreement, address };
    for (const nonce of [0n, 1n])
      await world.submitPermit({
        ...{ ...act, account: landlord, inputId: 'appoint', nonce },
        values: { keeper: tenant.address },
      });
    const [, from = '0x'] = await chain.client.getAddresses();
    await submitDirectly(chain, { from, to: address, agreement, inputId: 'knock', values: {} });
    const { id } = await world.adopt(agreement, address);
    await world.catchUp();
    const source = openSource();
    const collected = await collect({ id }, { source });
    expect(collected.steps.map(({ permit }) => permit !== null)).toEqual([true, true, false]);
    let file = '';
    for await (const piece of writeEvidence(collected, source)) file += piece;
    const bytes = Buffer.byteLength(file);
    expect(bytes).toBeGreaterThan(file.length);
    expect(collected.bytes).toBe(bytes);
    expect(await collect({ id }, { source: openSource({ mostBytes: bytes }) })).toMatchObject({ bytes });
    await expect(collect({ id }, { source: openSource({ mostBytes: bytes - 1 }) })).rejects.toMatchObject({
      reason: 'evidence_too_long',
      facts: { limitBytes: bytes - 1 },
    });
  });

  test('of a file that would be too large ends with the block that shows it', async () => {
    const { id } = await world.playDirectLease();
    await world.catchUp();
    const progress: number[] = [];
    const source = openSource({ mostBytes: 6_000 });
    const onProgress = (done: number) => void progress.push(done);
    await expect(collect({ id }, { source, onProgress })).rejects.toMatchObject({
      reason: 'evidence_too_long',
    });
    expect(progress).not.toContain(3);
  });

  test('counts the proofs that it stores in the storage of the principal until they are deleted, and is refused beyond that quota', async () => {
    const { service } = world;
    const { database: db } = service.handle;
    const lease = await world.playDirectLease();
    await world.catchUp();
    const { id: principalId, name, call } = await service.createPrincipal();
    const body = { chainId, address: lease.address, agreement: lease.agreement, displayName: 'Adopted' };
    const { id } = recordShape.parse((await call('POST', '/v0/agreements/import', { body })).body.data);
    const readStored = async () =>
      (await readQuotas(db, principalId)).find(({ quota }) => quota === 'storedBytes')?.used ?? 0;
    await expect.poll(readStored, { timeout: 20_000 }).toBeGreaterThan(0);
    const before = await readStored();
    const collectOwn = async () => {
      const quotas = createQuotaKeeper({ database: db, logger: silent });
      try {
        return await collect({ id, principalId }, { source: openSource({ quotas }) });
      } finally {
        await quotas.close();
      }
    };
    await collectOwn();
    const { rows } = await database.pool.query<{ bytes: number }>(
      `select sum(octet_length(block) + octet_length(entry))::int as bytes
       from service.evidence_proofs where principal_id = $1`,
      [principalId],
    );
    expect(await readStored()).toBe(before + (rows[0]?.bytes ?? 0));
    // Proofs that are stored count once, and their evidence is still given.
    await setQuota(db, { principal: name, quota: 'storedBytes', value: before });
    await collectOwn();
    expect(await readStored()).toBe(before + (rows[0]?.bytes ?? 0));
    await database.pool.query(
      `update service.evidence_proofs set used_at = now() - interval '31 days' where principal_id = $1`,
      [principalId],
    );
    expect(await forgetProofs(database.pool)).toBe(3);
    expect(await readStored()).toBe(before);
    await expect(collectOwn()).rejects.toMatchObject({ reason: 'storage_exceeded' });
  });

  test('reads the steps once: that they are still the same shows in the last block', async () => {
    const { chain, service } = world;
    const agreement = buildLease(chain.token);
    const [, from = '0x', tenant = '0x'] = await chain.client.getAddresses();
    const values = { landlord: from, tenant, rent: '5' };
    const address = await deployDirectly(chain, { agreement, values });
    // More than are read of payloads and proofs at a time.
    const knocks = 30;
    for (let at = 0; at < knocks; at++)
      await submitDirectly(chain, { from, to: address, agreement, inputId: 'knock', values: {} });
    const { id } = await world.adopt(agreement, address);
    await world.catchUp();
    const explained = createExplainedPool(service.databaseUrl, { enable_seqscan: 'off' });
    try {
      const collected = await collect({ id }, { source: openSource({ pool: explained.pool }) });
      expect(collected.steps).toHaveLength(knocks);
      const whole = explained
        .takeEfforts()
        .filter(({ rowsReturned, plan }) => rowsReturned >= knocks && plan.includes('inputs_'));
      expect(whole, whole.map(({ plan }) => plan).join('\n')).toHaveLength(1);
    } finally {
      await explained.pool.end();
    }
  });
});

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyEvidence } from '../../src/protocol/evidence/verifyEvidence.ts';
import { submitDirectly } from '../service/support/directDeployment.ts';
import { buildLease } from '../service/support/documents.ts';
import { type EvidenceWorld, startEvidenceWorld } from '../service/support/evidenceWorld.ts';
import { createAccount } from '../service/support/permits.ts';
import { waitUntil } from '../support/waitUntil.ts';

let world: EvidenceWorld;
beforeAll(async () => {
  world = await startEvidenceWorld({ PUBLIC_BASE_URL: 'https://agreements.example' });
});
afterAll(() => world?.close());

/**
 * Checks an evidence file. If `EVIDENCE_WRITE` is set, also stores it as the running service made it, for the
 * tests of the verifiers.
 */
async function keep(name: string, id: string, inputs: readonly string[]): Promise<void> {
  const file = await world.readFile(id);
  const verdict = await verifyEvidence(file);
  expect(verdict).toMatchObject({ ok: true, level: 'included' });
  expect(verdict.ok && verdict.acts.slice(1).map(({ input }) => input)).toEqual(inputs);
  if (process.env.EVIDENCE_WRITE === undefined) return;
  writeFileSync(fileURLToPath(new URL(`../evidence/files/${name}.json`, import.meta.url)), file);
}

/** Sends one account's calls and mines them in one block. Each call follows some payments. */
async function mineTogether(calls: readonly (() => Promise<unknown>)[], paymentsBefore: number) {
  const { client, relayer } = world.chain;
  const payment = { account: relayer, chain: null, to: relayer, value: 1n } as const;
  const done: Promise<unknown>[] = [];
  let waiting = 0;
  await client.setAutomine(false);
  for (const call of calls) {
    for (let sent = 0; sent < paymentsBefore; sent++) await client.sendTransaction(payment);
    done.push(call());
    waiting += paymentsBefore + 1;
    await waitUntil('the node holds the call', async () => {
      const { pending } = await client.getTxpoolStatus();
      return pending === waiting;
    });
  }
  await client.mine({ blocks: 1 });
  await client.setAutomine(true);
  await Promise.all(done);
}

describe('evidence of histories that are not smooth', () => {
  test('of steps that share a full block holds, each with its place in the block', async () => {
    const { chain } = world;
    const [landlord, tenant] = [createAccount(), createAccount()];
    const agreement = buildLease(chain.token);
    const values = { landlord: landlord.address, tenant: tenant.address, rent: '5' };
    const address = await world.deployPermitted(landlord, agreement, values);
    const act = { agreement, address, nonce: 0n };
    const keeper = createAccount().address;
    await mineTogether(
      [
        () => world.submitPermit({ ...act, account: landlord, inputId: 'appoint', values: { keeper } }),
        () => world.submitPermit({ ...act, account: tenant, inputId: 'accept', values: { months: '1' } }),
      ],
      70,
    );
    const { id } = await world.adopt(agreement, address);
    await world.catchUp();
    await keep('fullBlockLease', id, ['appoint', 'accept']);
  });

  test('of steps that a reorg removed and that were then taken differently, match the current chain', async () => {
    const { chain } = world;
    const { id, address, agreement } = await world.playDirectLease();
    await keep('reorgedLease', id, ['knock', 'accept']);
    const [, landlord = '0x', tenant = '0x'] = await chain.client.getAddresses();
    await chain.client.request({ method: 'anvil_reorg', params: [3, []] } as never);
    const act = { to: address, agreement, values: {} };
    await submitDirectly(chain, { ...act, from: tenant, inputId: 'knock' });
    await submitDirectly(chain, { ...act, from: landlord, inputId: 'knock' });
    const again = { months: '7', remark: 'after all' };
    await submitDirectly(chain, { ...act, from: tenant, inputId: 'accept', values: again });
    await world.catchUp();
    await expect
      .poll(async () => {
        const verdict = await verifyEvidence(await world.readFile(id));
        return verdict.ok ? verdict.acts.at(-1)?.values : verdict.reason;
      })
      .toContainEqual({ name: 'remark', value: 'after all' });
    await keep('reorgedLease', id, ['knock', 'knock', 'accept']);
  });
});

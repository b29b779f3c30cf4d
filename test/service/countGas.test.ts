import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../src/platform/database/inTransaction.ts';
import { readQuotas } from '../../src/records/quotas/quotas.ts';
import { addRecordUsage, addUsage } from '../../src/records/quotas/usage.ts';
import { countGas } from '../../src/worker/relay/countGas.ts';
import { readLockWaits } from '../support/lockWaits.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { lamp } from './projector/support/scene.ts';
import { insertPrincipal, insertRecord, insertTransaction } from './projector/support/serviceRows.ts';
import { chainId, createFixture, type Fixture, silent } from './projector/support/setup.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
});
afterAll(() => fixture.close());

test('the gas of several principals is counted although a transaction holds one counter and then needs another', async () => {
  const { database, pool } = fixture;
  const [first, second] = ['prn_1', 'prn_2'];
  for (const id of [first, second])
    await pool.query('insert into service.principals (id, name) values ($1, $1)', [id]);
  const readGas = async (id: string) =>
    (await readQuotas(database, id)).find(({ quota }) => quota === 'gasPerDay')?.used;
  await inTransaction(database, async (transaction) => {
    await addUsage(transaction, [{ principalId: second, gas: 1n }]);
    countGas({ pool, logger: silent }, [
      { id: 'txn_1', principalId: first, gas: 5n },
      { id: 'txn_2', principalId: second, gas: 7n },
    ]);
    await waitUntil('the second counter is waited for', async () => (await readLockWaits(pool)).length > 0);
    // Waits for nobody: whoever waits for a counter holds none.
    await transaction.execute(sql`set local lock_timeout = '1s'`);
    await addUsage(transaction, [{ principalId: first, gas: 1n }]);
  });
  await waitUntil('all is counted', async () => (await readGas(second)) === 8);
  expect(await readGas(first)).toBe(6);
});

test('the gas of guests of several agreements is counted although a transaction holds one counter and then needs another', async () => {
  const { database, pool } = fixture;
  const principalId = await insertPrincipal(database);
  const contract = '0x00000000000000000000000000000000000000A1';
  const sent: { recordId: string; id: string }[] = [];
  for (const nonce of [0n, 1n]) {
    const permit = { chainId, contract, signer: contract, nonce } as const;
    const id = await insertTransaction(database, { ...permit, kind: 'input', contentHash: '0x' });
    const recordId = await insertRecord(database, { principalId, chainId, lamp });
    await pool.query(
      `insert into service.inputs (id, record_id, chain_id, agreement_address, input_id, status, user_id, transaction_id, signer,
        payload, "values") values ($1, $2, $3, $4, 'light', 'PENDING', $5, $1, $4, '0x', '{}')`,
      [id, recordId, chainId, contract, principalId],
    );
    sent.push({ recordId, id });
  }
  await pool.query(
    `update service.transactions set principal_id = $1, admission = '{"by":"local","isGuests":true}'`,
    [principalId],
  );
  const [first = '', second = ''] = sent.map(({ recordId }) => recordId).sort();
  await inTransaction(database, async (transaction) => {
    await addRecordUsage(transaction, [{ recordId: second, mails: 1 }]);
    const used = sent.map(({ id }) => ({ id, principalId, gas: 5n }));
    countGas({ pool, logger: silent }, used);
    await waitUntil('the second counter is waited for', async () => (await readLockWaits(pool)).length > 0);
    // Waits for nobody: whoever waits for a counter holds none.
    await transaction.execute(sql`set local lock_timeout = '500ms'`);
    await addRecordUsage(transaction, [{ recordId: first, mails: 1 }]);
  });
  await waitUntil('all is counted', async () => {
    const { rows } = await pool.query('select from service.record_usage_days where guest_gas = 5');
    return rows.length === 2;
  });
});

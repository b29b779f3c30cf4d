import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../src/platform/database/inTransaction.ts';
import { readQuotas } from '../../src/records/quotas/quotas.ts';
import { addUsage } from '../../src/records/quotas/usage.ts';
import { countGas } from '../../src/worker/relay/countGas.ts';
import { readLockWaits } from '../support/lockWaits.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { createFixture, type Fixture, silent } from './projector/support/setup.ts';

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

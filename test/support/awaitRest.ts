import { patienceMs } from './patience.ts';
import type { ServiceStack } from './serviceStack.ts';
import { passTimeout, waitUntil } from './waitUntil.ts';

/**
 * Waits until everything is mined, folded and notified, and stops the mining meanwhile. If something does not
 * finish in time, the audits find it.
 */
export async function awaitRest(stack: ServiceStack, stopBlocks: () => Promise<void>): Promise<void> {
  const isEmpty = async (query: string) => (await stack.pool.query(`${query} limit 1`)).rowCount === 0;
  const rest = async () => {
    const underWay = `select 1 from service.transactions where state in ('accepted', 'signed', 'broadcast')`;
    await waitUntil('the outbox is done', () => isEmpty(underWay), patienceMs);
    // Only an indexer that already follows the chain live needs no further block to show the last one.
    await stack.awaitNewBlock();
    await stopBlocks();
    await stack.awaitFolded(patienceMs);
    for (const query of [
      `select 1 from service.events where state = 'pending'`,
      `select 1 from service.deliveries where status in ('pending', 'retry_pending')`,
    ])
      await waitUntil('all is told', () => isEmpty(query), patienceMs);
    const query = `select address, next_nonce from service.relayer_wallets`;
    await waitUntil(
      'the counters are those of the chain',
      async () => {
        const { rows } = await stack.pool.query<{ address: `0x${string}`; next_nonce: string }>(query);
        const mined = await Promise.all(
          rows.map(({ address }) => stack.client.getTransactionCount({ address })),
        );
        return rows.every(({ next_nonce }, at) => Number(next_nonce) === mined[at]);
      },
      patienceMs,
    );
  };
  await rest().catch(passTimeout);
}

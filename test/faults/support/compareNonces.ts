import type { Address, Hex } from 'viem';
import type { ServiceStack } from '../../support/serviceStack.ts';
import type { Findings } from './audit.ts';

const receiptsAtOnce = 100;

/**
 * Checks that exactly one of its signed forms used each nonce of each wallet, and that the counter is the
 * next nonce.
 */
export async function compareNonces(stack: ServiceStack, { jammed }: Pick<Findings, 'jammed'>) {
  const { pool, client, reader, relayers } = stack;
  const { rows } = await pool.query<{
    wallet: Address;
    nonce: string;
    hash: Hex;
    transaction_id: string | null;
  }>(
    `select wallet, wallet_nonce as nonce, tx_hash as hash, transaction_id from service.transaction_attempts order by id`,
  );
  const mined = new Map<string, { isFiller: boolean; isReverted: boolean }>();
  for (let at = 0; at < rows.length; at += receiptsAtOnce) {
    const page = rows.slice(at, at + receiptsAtOnce);
    const receipts = await Promise.all(
      page.map(({ hash }) => reader.request({ method: 'eth_getTransactionReceipt', params: [hash] })),
    );
    for (const [index, { wallet, nonce, transaction_id }] of page.entries()) {
      const receipt = receipts[index];
      if (!receipt?.blockNumber) continue;
      const isReverted = receipt.status === '0x0';
      mined.set(`${wallet} ${nonce}`, { isFiller: transaction_id === null, isReverted });
    }
  }
  const wallets = await pool.query<{ address: Address; next_nonce: string }>(
    'select address, next_nonce from service.relayer_wallets',
  );
  for (const address of relayers) {
    const count = await client.getTransactionCount({ address });
    const next = Number(wallets.rows.find((wallet) => wallet.address === address)?.next_nonce);
    if (next !== count) jammed.push(`${address} would go on with nonce ${next}, not ${count}`);
    for (let nonce = 0; nonce < count; nonce++)
      if (!mined.has(`${address} ${nonce}`)) jammed.push(`nonce ${nonce} of ${address} is not of the outbox`);
    const pending = await client.getTransactionCount({ address, blockTag: 'pending' });
    if (pending !== count) jammed.push(`${address} has ${pending - count} transactions in the mempool`);
  }
  const outcomes = [...mined.values()];
  const reverted = outcomes.filter(({ isReverted }) => isReverted).length;
  return {
    transactions: outcomes.length,
    fillers: outcomes.filter(({ isFiller }) => isFiller).length,
    reverted,
  };
}

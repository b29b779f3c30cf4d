import { setTimeout as delay } from 'node:timers/promises';
import { type Hex, type PublicClient, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';

const usualPollMs = 15;
const timeoutMs = 60_000;

/**
 * The receipt of a transaction, as soon as the node has it. viem's `waitForTransactionReceipt` asks again
 * only after another block. A chain with one block per transaction may report the block before it has the
 * receipt, and then makes no other block.
 *
 * @throws Error if there is none after a minute.
 */
export async function awaitReceipt(
  client: Pick<PublicClient, 'getTransactionReceipt'>,
  hash: Hex,
  { pollMs = usualPollMs }: { pollMs?: number } = {},
): Promise<TransactionReceipt> {
  const giveUpAt = performance.now() + timeoutMs;
  while (performance.now() < giveUpAt) {
    const receipt = await client.getTransactionReceipt({ hash }).catch((error: unknown) => {
      if (error instanceof TransactionReceiptNotFoundError) return undefined;
      throw error;
    });
    if (receipt) return receipt;
    await delay(pollMs);
  }
  throw new Error(`${hash} is not mined after ${timeoutMs / 1_000} s`);
}

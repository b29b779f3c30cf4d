import type pg from 'pg';
import type { Logger } from 'pino';
import { type Hex, hexToBigInt, type PublicClient } from 'viem';
import type { OrNull, RowAs, RowOf } from '../../platform/database/rowOf.ts';
import type { transactionAttempts, transactions } from '../../platform/database/tables/transactions.ts';
import { learnGas } from '../../records/gas/learnedGas.ts';

type EstimatedRow = { readonly id: string; readonly callData: Hex };

/** Learns the gas of one chain's rows, first from estimates and then from receipts. */
export type GasLessons = {
  /** Stores a node's estimate. If storing fails, the next row is estimated again. */
  note(row: EstimatedRow, gas: bigint): Promise<void>;
  /** Compares the noted rows with the receipts of mined ones, each once, whether its receipt can be read or not. */
  compare(): Promise<void>;
};

type ReceiptRow = RowOf<typeof transactions, 'id'> &
  OrNull<RowAs<typeof transactionAttempts, { hash: 'tx_hash' }>>;

/** Rows waiting for receipts; of a kind that is estimated more often, some rows are enough. */
const mostWaiting = 50;

export function createGasLessons({
  pool,
  client,
  logger,
}: {
  pool: pg.Pool;
  client: PublicClient;
  logger: Logger;
}): GasLessons {
  const waiting = new Map<string, EstimatedRow>();

  const learnFromReceipt = async ({ id, callData }: EstimatedRow, hash: Hex) => {
    const receipt = await client.request({ method: 'eth_getTransactionReceipt', params: [hash] });
    // If the effect came from another transaction, its gas may belong to another call, so only the row's own
    // transaction counts.
    if (receipt?.status !== '0x1') return;
    await learnGas(pool, { transactionId: id, callData, gas: hexToBigInt(receipt.gasUsed), by: 'receipt' });
  };

  return {
    async note(row, gas) {
      if (waiting.size < mostWaiting) waiting.set(row.id, { id: row.id, callData: row.callData });
      try {
        await learnGas(pool, { transactionId: row.id, callData: row.callData, gas, by: 'estimate' });
      } catch (error) {
        logger.warn({ err: error, transaction: row.id }, 'failed to store the gas use of a transaction');
      }
    },
    async compare() {
      if (waiting.size === 0) return;
      const { rows } = await pool.query<ReceiptRow>(
        `select sent.id, attempt.tx_hash as hash
         from service.transactions sent
         left join service.transaction_attempts attempt
           on attempt.chain_id = sent.chain_id and attempt.tx_hash = sent.tx_hash and sent.state <> 'failed'
         where sent.id = any($1) and sent.state in ('mined', 'final', 'failed')`,
        [[...waiting.keys()]],
      );
      // One after the other: a receipt that is too long takes the others of its request with it.
      for (const { id, hash } of rows) {
        const row = waiting.get(id);
        waiting.delete(id);
        if (row && hash !== null)
          await learnFromReceipt(row, hash).catch((error: unknown) =>
            logger.warn({ err: error, transaction: id }, 'failed to read the gas use of a transaction'),
          );
      }
    },
  };
}

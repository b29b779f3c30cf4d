import { sql } from 'drizzle-orm';
import { type Hex, TransactionReceiptNotFoundError } from 'viem';
import { decodeRevert } from '../chain/decodeRevert.ts';
import { simulateCall } from '../chain/simulateCall.ts';
import { channels } from '../database/channels.ts';
import { type OpenRow, readHashes } from './openRows.ts';
import type { SigningContext } from './signClaims.ts';

/** The index is given this long to show what was mined, before the receipts are asked for. */
export const indexDelaySeconds = 1.5;

/**
 * Decides about a row whose nonce the chain has used up although the index does not show the permit's effect. A transaction that
 * succeeded is left to the index; one that reverted fails once the index has passed its block, unless the same call would
 * succeed now; one that was mined under none of its hashes, with its nonce buried under another transaction, gets a new nonce.
 */
export async function settlePassed(
  context: SigningContext & { confirmations: number },
  row: OpenRow,
): Promise<void> {
  const { database, client, chainId, logger } = context;
  const hashes = await readHashes(database, row);
  const receipts = (await Promise.all(hashes.map((hash) => findReceipt(context, hash)))).filter(
    (receipt) => receipt !== undefined,
  );
  if (receipts.some(({ status }) => status === 'success')) return;
  const [reverted] = receipts;
  if (!reverted) {
    if (await isBuried(context, row)) {
      logger.warn(
        { chainId, transaction: row.id, nonce: row.nonce },
        'another transaction has used the nonce',
      );
      await requeue(context, row);
    }
    return;
  }
  if (!(await hasIndexPassed(context, reverted.blockNumber))) return;
  const verdict = await simulateCall(client, { from: row.wallet, to: row.contract, data: row.callData });
  if (!verdict.ok) {
    await fail(context, row, { message: decodeRevert(verdict.data).message, hash: reverted.transactionHash });
    return;
  }
  await requeue(context, row);
}

async function findReceipt({ client }: SigningContext, hash: Hex) {
  try {
    return await client.getTransactionReceipt({ hash });
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  }
}

/** Whether the nonce was used in a block that has its confirmations. */
async function isBuried(
  { client, confirmations }: SigningContext & { confirmations: number },
  row: OpenRow,
): Promise<boolean> {
  const head = await client.getBlockNumber();
  const depth = BigInt(confirmations - 1);
  const blockNumber = head > depth ? head - depth : 0n;
  return (await client.getTransactionCount({ address: row.wallet, blockNumber })) > row.nonce;
}

async function hasIndexPassed({ database, chainId }: SigningContext, blockNumber: bigint): Promise<boolean> {
  const { rows } = await database.execute(sql`
    select 1 from service.projections where chain_id = ${chainId} and head_number >= ${String(blockNumber)}::bigint`);
  return rows.length > 0;
}

/** Has the row signed anew: all bytes that were ever signed for it can no longer be mined. */
async function requeue({ database, chainId }: SigningContext, row: OpenRow): Promise<void> {
  await database.execute(sql`
    with requeued as (
      update service.transactions set state = 'accepted', wallet = null, wallet_nonce = null, updated_at = now()
      where id = ${row.id} and state in ('signed', 'broadcast') and wallet_nonce = ${row.nonce} and wallet = ${row.wallet}
      returning id)
    select pg_notify(${channels.outbox}, ${String(chainId)}) from requeued`);
}

async function fail(
  { database }: SigningContext,
  row: OpenRow,
  { message, hash }: { message: string; hash: Hex },
): Promise<void> {
  const failure = JSON.stringify({ reason: 'action_reverted', message, transactionHash: hash });
  await database.execute(sql`
    with failed as (
      update service.transactions set state = 'failed', failure = ${failure}::json, updated_at = now()
      where id = ${row.id} and state in ('signed', 'broadcast') and wallet_nonce = ${row.nonce} and wallet = ${row.wallet}
      returning id, tx_hash)
    , failed_inputs as (
      update service.inputs it set status = 'FAILED', error = ${failure}::json, tx_hash = failed.tx_hash, updated_at = now()
      from failed where it.transaction_id = failed.id and it.status = 'PENDING' returning it.record_id)
    , failed_records as (
      update service.records it set error = ${failure}::json, updated_at = now()
      from failed where it.deploy_transaction_id = failed.id and it.status = 'Draft' returning it.id)
    select pg_notify(${channels.transactionChanged}, id) from failed
    union all select pg_notify(${channels.recordChanged}, record_id) from failed_inputs
    union all select pg_notify(${channels.recordChanged}, id) from failed_records`);
}

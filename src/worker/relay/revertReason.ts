import type pg from 'pg';
import { type Abi, type Address, type Hex, isHex, numberToHex, type PublicClient } from 'viem';
import type { RowOf } from '../../platform/database/rowOf.ts';
import type { records } from '../../platform/database/tables/records.ts';
import type { Reason } from '../../platform/errors/serviceError.ts';
import { decodeRevert, listActionErrors } from '../../platform/nodes/decodeRevert.ts';
import { findOwnRefusal } from '../../platform/nodes/ownRefusal.ts';
import { simulateCall } from '../../platform/nodes/simulateCall.ts';
import { findCallFault } from '../../platform/nodes/unavailable.ts';
import type { Receipt } from './attemptFate.ts';

type RevertedRow = {
  readonly id: string;
  readonly wallet: Address;
  readonly contract: Address;
  readonly callData: Hex;
};

/** Why a mined call reverted, as a reason and in words; and the gas that it would use if it would succeed now. */
export type RevertReason = { reason: Reason; message: string; wouldSucceedNow: bigint | undefined };

/**
 * Runs the call again, at the block before it and now: an earlier transaction of the same block, or too
 * little gas, may have made it fail.
 *
 * @throws ChainUnavailableError if no endpoint runs it.
 */
export async function findRevertReason(
  { client, pool }: { client: PublicClient; pool: pg.Pool },
  { row, receipt }: { row: RevertedRow; receipt: Receipt },
): Promise<RevertReason> {
  const now = await simulateCall(client, { from: row.wallet, to: row.contract, data: row.callData });
  if (now.ok) {
    const message = 'The same call would now succeed.';
    return { reason: 'action_reverted', message, wouldSucceedNow: now.gas };
  }
  const data = (await findRevertData(client, row, receipt.blockNumber - 1n)) ?? now.data;
  return { ...(await describeRevert(pool, row.id, data)), wouldSucceedNow: undefined };
}

/** The revert of a row's call, as a reason and in words. */
export async function describeRevert(
  pool: pg.Pool,
  id: string,
  data: Hex | undefined,
): Promise<{ reason: Reason; message: string }> {
  const { message } = decodeRevert(data, await readActionErrors(pool, id));
  const own = findOwnRefusal({ ok: false, data, message });
  return { reason: own?.reason ?? 'action_reverted', message };
}

/**
 * The call's revert at a block; undefined if it did not revert, or if the node no longer has that block's
 * state.
 */
async function findRevertData(
  client: PublicClient,
  { wallet, contract, callData }: RevertedRow,
  blockNumber: bigint,
): Promise<Hex | undefined> {
  try {
    const call = { from: wallet, to: contract, data: callData };
    await client.request({ method: 'eth_call', params: [call, numberToHex(blockNumber)] });
    return undefined;
  } catch (error) {
    const data = findCallFault(error)?.data;
    return isHex(data) ? data : undefined;
  }
}

/** The errors that the agreement's document lists for its actions. */
async function readActionErrors(pool: pg.Pool, transactionId: string): Promise<Abi> {
  const { rows } = await pool.query<RowOf<typeof records, 'document'>>(
    `select document from service.records where deploy_transaction_id = $1
     union all
     select record.document from service.inputs input join service.records record on record.id = input.record_id
     where input.transaction_id = $1
     limit 1`,
    [transactionId],
  );
  return rows[0] ? listActionErrors(JSON.parse(rows[0].document)) : [];
}

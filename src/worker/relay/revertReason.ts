import type pg from 'pg';
import { type Abi, type Hex, numberToHex, type PublicClient } from 'viem';
import type { RowOf } from '../../platform/database/rowOf.ts';
import type { records } from '../../platform/database/tables/records.ts';
import type { Reason } from '../../platform/errors/serviceError.ts';
import {
  type RevertReason as DecodedRevert,
  decodeRevert,
  listActionErrors,
} from '../../platform/nodes/decodeRevert.ts';
import { findOwnRefusal } from '../../platform/nodes/ownRefusal.ts';
import { type Call, findRevert, simulateCall } from '../../platform/nodes/simulateCall.ts';
import { tellRevert } from '../../platform/nodes/tellRevert.ts';
import type { Receipt } from './attemptFate.ts';
import type { Judgement } from './judgeRow.ts';

/** Why a mined call reverted, as a reason and in words. */
export type RevertReason = {
  reason: Reason;
  message: string;
  /** The revert's parts, unescaped. */
  revert?: DecodedRevert;
  /** Whether the contract takes it at the folded block. */
  wouldSucceed: boolean;
  /** The gas that it would use at the newest block; undefined if it would revert there. */
  gas: bigint | undefined;
};

/**
 * Explains a mined revert by the call's revert at the last folded block (undefined: it succeeds there), and by
 * that at the block before: an earlier transaction of the same block, or too little gas, may have made it fail.
 *
 * @throws ChainUnavailableError if no endpoint runs it.
 */
export async function findRevertReason(
  { client, pool }: { client: PublicClient; pool: pg.Pool },
  { id, call, receipt, revert }: { id: string; call: Call; receipt: Receipt; revert: Judgement['revert'] },
): Promise<RevertReason> {
  if (!revert) {
    const message = 'The same call would now succeed.';
    const now = await simulateCall(client, call);
    return { reason: 'action_reverted', message, wouldSucceed: true, gas: now.ok ? now.gas : undefined };
  }
  // Nodes need not have the state of older blocks.
  const before = await findRevert(client, call, numberToHex(receipt.blockNumber - 1n)).catch(() => undefined);
  const reason = await describeRevert(pool, id, before?.data ?? revert.data);
  return { ...reason, wouldSucceed: false, gas: undefined };
}

/** The revert of a row's call, as a reason and in words. */
export async function describeRevert(
  pool: pg.Pool,
  id: string,
  data: Hex | undefined,
): Promise<{ reason: Reason; message: string; revert: DecodedRevert }> {
  const revert = decodeRevert(data, await readActionErrors(pool, id));
  const own = findOwnRefusal({ ok: false, data, message: revert.message });
  return { reason: own?.reason ?? 'action_reverted', message: tellRevert(revert), revert };
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

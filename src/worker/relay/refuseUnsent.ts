import type pg from 'pg';
import type { Logger } from 'pino';
import type { PublicClient } from 'viem';
import type { Call } from '../../platform/nodes/simulateCall.ts';
import type { CountedAdmission } from '../../platform/operations/metrics.ts';
import { failUnsent } from './endRow.ts';
import { explainRevert } from './explainRevert.ts';
import { type IndexHead, isOnChain } from './indexHead.ts';
import { isPermitUsed } from './isPermitUsed.ts';
import { judgeRow } from './judgeRow.ts';
import { type PermitPlace, readPermitTurn } from './permitTurn.ts';
import { describeRevert } from './revertReason.ts';

type Options = {
  readonly pool: pg.Pool;
  readonly chainId: number;
  readonly client: PublicClient;
  readonly confirmations: number;
  readonly onReverted?: ((admission: CountedAdmission) => void) | undefined;
  readonly logger: Logger;
};

type Refused = {
  readonly row: PermitPlace & { readonly id: string };
  readonly call: Call;
  /** The last folded block, at which the row has no open predecessor. */
  readonly head: IndexHead;
  /** The folded block at which the contract first refused it. */
  readonly refusedAt: IndexHead | undefined;
};

/**
 * Fails a row before it is paid for, if the contract refuses it in its turn, without an open predecessor. Only
 * a refusal in the state after the last folded block counts. Waits until the index has passed the first
 * refusal with its confirmations. Returns whether the row was failed, and otherwise the first refusal that
 * still counts.
 *
 * @throws BaseError if no endpoint answers.
 */
export async function refuseUnsent(
  options: Options,
  { row, call, head, refusedAt }: Refused,
): Promise<{ isFailed: boolean; refusedAt: IndexHead | undefined }> {
  const { pool, chainId, client, confirmations, onReverted, logger } = options;
  const undecided = { isFailed: false, refusedAt };
  if (await isPermitUsed(pool, row.id)) return undecided;
  if ((await readPermitTurn(client, row)) !== 'now') return undecided;
  const judgement = await judgeRow(client, { place: row, call, head });
  if (!judgement) return undecided;
  const { turn, revert } = judgement;
  if (turn !== 'now' || !revert) return { isFailed: false, refusedAt: undefined };

  const first = refusedAt && (await isOnChain(client, refusedAt)) ? refusedAt : head;
  const { reason, message, revert: parts } = await describeRevert(pool, row.id, revert.data);
  const failure = { reason, message: `The transaction would revert. ${message}`, revert: parts };
  const blockNumber = first.number + BigInt(confirmations);
  if (!(await failUnsent(pool, { chainId, id: row.id, failure, blockNumber })))
    return { isFailed: false, refusedAt: first };
  const admission = await explainRevert({ pool, client }, { id: row.id, blockNumber: undefined });
  if (admission) onReverted?.(admission);
  logger.warn({ transaction: row.id, message, race: admission?.race }, 'a prepared transaction would revert');
  return { isFailed: true, refusedAt: undefined };
}

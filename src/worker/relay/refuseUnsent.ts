import type pg from 'pg';
import type { Logger } from 'pino';
import { type Address, isHex, type PublicClient } from 'viem';
import type { CountedAdmission } from '../../platform/operations/metrics.ts';
import { failUnsent } from './endRow.ts';
import { explainRevert } from './explainRevert.ts';
import { isPermitUsed } from './isPermitUsed.ts';
import { readPermitTurn } from './permitTurn.ts';
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
  readonly row: {
    readonly id: string;
    readonly contract: Address;
    readonly permit: { readonly signer: Address; readonly nonce: bigint };
  };
  /** The call's revert, in the nodes' form. */
  readonly data: unknown;
  /** The chain's newest block when a node first said that it would revert. */
  readonly refusedAt: bigint;
};

/**
 * Fails a row before it is paid for, if the contract refuses it in its turn, without an open predecessor.
 * Waits until the index has passed that block with its confirmations, because only the index decides about a
 * permit's effect. Returns whether the row was failed.
 */
export async function refuseUnsent(options: Options, { row, data, refusedAt }: Refused): Promise<boolean> {
  const { pool, chainId, client, confirmations, onReverted, logger } = options;
  if (await isPermitUsed(pool, row.id)) return false;
  if ((await readPermitTurn(client, row)) !== 'now') return false;
  const { reason, message } = await describeRevert(pool, row.id, isHex(data) ? data : undefined);
  const failure = { reason, message: `The transaction would revert. ${message}` };
  const blockNumber = refusedAt + BigInt(confirmations);
  if (!(await failUnsent(pool, { chainId, id: row.id, failure, blockNumber }))) return false;
  const admission = await explainRevert(pool, row.id);
  if (admission) onReverted?.(admission);
  logger.warn({ transaction: row.id, message, race: admission?.race }, 'a prepared transaction would revert');
  return true;
}

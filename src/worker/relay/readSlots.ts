import type pg from 'pg';
import type { Address, Hex } from 'viem';
import type { RowAs, RowOf } from '../../platform/database/rowOf.ts';
import {
  stateLists,
  type TransactionState,
  type transactionAttempts,
  type transactions,
} from '../../platform/database/tables/transactions.ts';
import type { NodeObjection } from '../../platform/nodes/nodeAnswer.ts';
import { hasMoved } from '../../records/agreements/hasMoved.ts';
import type { Fees } from './fees.ts';

/** A wallet's nonce that the chain has not used up, with the newest bytes signed for it. */
export type Slot = {
  readonly wallet: Address;
  readonly nonce: number;
  readonly attempt: {
    readonly id: string;
    readonly hash: Hex;
    readonly gas: bigint;
    readonly fees: Fees;
    /** Milliseconds since it was signed, and since a node last accepted it (undefined: none has). */
    readonly ageMs: number;
    readonly acceptedMs: number | undefined;
    /** Milliseconds since the first bytes for the nonce; undefined if a node has accepted any of them. */
    readonly untakenMs: number | undefined;
    /** Why a node last refused it. */
    readonly objection: NodeObjection | undefined;
  };
  /** The row of the bytes; undefined if they only use up the nonce. */
  readonly row: SlotRow | undefined;
  /** Whether a row waits until such bytes are mined: only then does it get another nonce. */
  readonly isAwaited: boolean;
};

export type SlotRow = {
  readonly id: string;
  readonly state: TransactionState;
  readonly contract: Address;
  readonly callData: Hex;
  /** Unix seconds. */
  readonly deadline: bigint;
  /**
   * Whether the row currently uses this nonce, and whether the index shows one of these bytes as the row's
   * effect.
   */
  readonly isHere: boolean;
  readonly isShownHere: boolean;
  /** Whether its agreement is at another address by now, so that its effect is not wanted. */
  readonly hasMoved: boolean;
  readonly traceParent: string | null;
};

type FoundSlot = RowOf<typeof transactionAttempts, 'wallet' | 'id' | 'gas' | 'objection' | 'transaction_id'> &
  RowAs<
    typeof transactionAttempts,
    { nonce: 'wallet_nonce'; hash: 'tx_hash'; max_fee: 'max_fee_per_gas'; tip: 'max_priority_fee_per_gas' }
  > &
  RowOf<typeof transactions, 'state' | 'contract' | 'call_data' | 'deadline' | 'trace_parent'> & {
    age_ms: number;
    accepted_ms: number | null;
    untaken_ms: number | null;
    is_here: boolean;
    is_shown_here: boolean;
    has_moved: boolean;
    is_awaited: boolean;
  };

/** The given wallets' slots from the chain's first free nonce on, in the order of their nonces. */
export async function readSlots(
  pool: pg.Pool,
  { chainId, wallets }: { chainId: number; wallets: readonly { address: Address; from: number }[] },
): Promise<Slot[]> {
  const { rows } = await pool.query<FoundSlot>({
    name: 'relay slots',
    // All attempts ever signed are in the table, and the planner estimates a third of them for a condition `>
    // nonce`. For a range, and for single look-ups, it estimates the few rows that they are.
    text: `
      select attempt.wallet, attempt.wallet_nonce as nonce, attempt.id,
        attempt.tx_hash as hash, attempt.gas, attempt.max_fee_per_gas as max_fee, attempt.max_priority_fee_per_gas as tip,
        extract(epoch from now() - attempt.created_at)::float8 * 1000 as age_ms,
        extract(epoch from now() - attempt.accepted_at)::float8 * 1000 as accepted_ms,
        case when not attempt.was_taken then extract(epoch from now() - attempt.first_at)::float8 * 1000 end as untaken_ms,
        attempt.objection,
        attempt.transaction_id, sent.state, sent.contract, sent.call_data, sent.deadline, sent.trace_parent,
        sent.wallet = attempt.wallet and sent.wallet_nonce = attempt.wallet_nonce as is_here,
        sent.state in ('mined', 'final') and sent.tx_hash in (
          select earlier.tx_hash from service.transaction_attempts earlier
          where earlier.chain_id = attempt.chain_id and earlier.wallet = attempt.wallet
            and earlier.wallet_nonce = attempt.wallet_nonce) as is_shown_here,
        ${hasMoved('sent')} as has_moved,
        attempt.transaction_id is null and exists (
          select 1 from service.transactions waiting where waiting.chain_id = $1 and waiting.wallet = attempt.wallet
            and waiting.wallet_nonce = attempt.wallet_nonce and waiting.state in (${stateLists.sent})
            and not ${hasMoved('waiting')}) as is_awaited
      from unnest($2::text[], $3::bigint[]) as asked(address, from_nonce)
      cross join lateral (
        select distinct on (wallet_nonce) *, min(created_at) over same_nonce as first_at,
          bool_or(accepted_at is not null) over same_nonce as was_taken
        from service.transaction_attempts
        where chain_id = $1 and wallet = asked.address and wallet_nonce between asked.from_nonce and $4
        window same_nonce as (partition by wallet_nonce)
        order by wallet_nonce, id desc) as attempt
      left join lateral (select * from service.transactions where id = attempt.transaction_id offset 0) as sent on true
      order by attempt.wallet, attempt.wallet_nonce`,
    values: [
      chainId,
      wallets.map(({ address }) => address),
      wallets.map(({ from }) => from),
      Number.MAX_SAFE_INTEGER,
    ],
  });
  return rows.map((row) => ({
    wallet: row.wallet,
    nonce: Number(row.nonce),
    attempt: {
      id: row.id,
      hash: row.hash,
      gas: BigInt(row.gas),
      fees: { maxFeePerGas: BigInt(row.max_fee), maxPriorityFeePerGas: BigInt(row.tip) },
      ageMs: row.age_ms,
      acceptedMs: row.accepted_ms ?? undefined,
      untakenMs: row.untaken_ms ?? undefined,
      objection: row.objection ?? undefined,
    },
    row: row.transaction_id === null ? undefined : slotRow(row, row.transaction_id),
    isAwaited: row.is_awaited,
  }));
}

function slotRow(row: FoundSlot, id: string): SlotRow {
  const { state, contract, call_data, deadline, is_here, is_shown_here, has_moved } = row;
  return {
    id,
    state,
    contract,
    callData: call_data,
    deadline: BigInt(deadline),
    isHere: is_here,
    isShownHere: is_shown_here,
    hasMoved: has_moved,
    traceParent: row.trace_parent,
  };
}

/**
 * Whether the effect of the bytes is still to come, or was in a block that fell out and is to come again, or a row waits for
 * them.
 */
export function isLive({ row, isAwaited }: Slot): boolean {
  if (!row?.isHere) return isAwaited;
  if (row.state === 'mined') return row.isShownHere;
  return (row.state === 'signed' || row.state === 'broadcast') && !row.hasMoved;
}

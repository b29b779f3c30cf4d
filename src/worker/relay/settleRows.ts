import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { Address, Hex } from 'viem';
import type { NotNull, OrNull, RowAs, RowOf } from '../../platform/database/rowOf.ts';
import type { projections } from '../../platform/database/tables/projections.ts';
import {
  stateLists,
  type transactionAttempts,
  type transactions,
} from '../../platform/database/tables/transactions.ts';
import { groupBy } from '../../protocol/groupBy.ts';
import type { ChainView } from './chainView.ts';
import type { IndexHead } from './indexHead.ts';
import { type PassedRow, type SettleOptions, settleRow, type Watch } from './settleRow.ts';

export type Settlements = {
  /** Decides about these wallets' rows with a nonce below `minedCount`; returns their number. */
  settle(view: ChainView, wallets: readonly { address: Address; minedCount: number }[]): Promise<number>;
  /** Resolves once nothing is under way. */
  idle(): Promise<void>;
};

/** The index gets this many polls to show a mined row before receipts are requested. */
const indexPolls = 1.5;
/** Rows of one principal in a round, and principals at once. */
const rowsAtOnce = 20;
const principalsAtOnce = 8;
/**
 * A contract decides how long a node takes for its call. Rows that take longer go on while the wallets are looked after,
 * and their principal's other rows wait for them.
 */
const patienceMs = 1_000;
const longestTurnMs = 10_000;
const longestPauseMs = 60_000;
/** Rows that others have settled are removed all at once, together with the waiting times of the rest. */
const mostWatched = 10_000;

/**
 * Decides about passed rows, some of each principal at a time, and less often the longer a row stays unchanged. A row
 * that cannot be decided holds up no other principal's.
 */
export function createSettlements(options: SettleOptions): Settlements {
  const { pool, chainId, pollMs, logger } = options;
  const watched = new Map<string, Watch>();
  const ownReverts = new LRUCache<string, Set<Hex>>({ max: mostWatched });
  const turns = new Map<string | null, Promise<void>>();
  /** The number of each principal's last turn: who has waited longest comes next. */
  const lastTurns = new LRUCache<string, number>({ max: mostWatched });
  let turnCount = 0;
  let position = '';

  const check = async (row: PassedRow, { head, view }: Seen) => {
    const watch = watched.get(row.id) ?? { nextAt: 0, pauseMs: pollMs, absent: undefined };
    watched.set(row.id, watch);
    try {
      if (await settleRow(options, { row, head, view, watch, ownReverts })) watched.delete(row.id);
    } catch (error) {
      logger.warn({ err: error, transaction: row.id }, 'failed to settle a transaction; retrying');
    }
    watch.nextAt = performance.now() + watch.pauseMs;
    watch.pauseMs = Math.min(watch.pauseMs * 2, longestPauseMs);
  };
  const lastTurnOf = (principalId: string | null) => lastTurns.get(principalId ?? '') ?? 0;
  const takeTurn = async (rows: readonly PassedRow[], seen: Seen) => {
    const endsAt = performance.now() + longestTurnMs;
    for (const row of rows) {
      if (performance.now() > endsAt) return;
      await check(row, seen);
    }
  };
  const begin = (principalId: string | null, rows: readonly PassedRow[], seen: Seen) => {
    const turn = takeTurn(rows, seen).finally(() => turns.delete(principalId));
    turns.set(principalId, turn);
    lastTurns.set(principalId ?? '', ++turnCount);
    return turn;
  };

  return {
    async settle(view, wallets) {
      const { rows, head, last } = await readPassedRows(pool, {
        chainId,
        wallets,
        after: position,
        quietMs: indexPolls * pollMs,
      });
      position = last;
      if (watched.size > mostWatched) watched.clear();
      const due = rows.filter(({ id }) => (watched.get(id)?.nextAt ?? 0) <= performance.now());
      const waiting = [...groupBy(due, ({ principalId }) => principalId)]
        .filter(([id]) => !turns.has(id))
        .toSorted(([one], [other]) => lastTurnOf(one) - lastTurnOf(other));
      const begun = waiting
        .slice(0, Math.max(0, principalsAtOnce - turns.size))
        .map(([id, own]) => begin(id, own.slice(0, rowsAtOnce), { head, view }));
      await Promise.race([Promise.all(begun), delay(patienceMs, undefined, { ref: false })]);
      return rows.length;
    },
    async idle() {
      await Promise.all(turns.values());
    },
  };
}

type Seen = { readonly head: IndexHead | undefined; readonly view: ChainView };

const page = 200;

/** The folded head, and a passed row if there is one: everything but `id` is read only then. */
type FoundRow = FoundHead &
  OrNull<RowOf<typeof transactions, 'id'>> &
  RowOf<
    typeof transactions,
    'contract' | 'call_data' | 'signer' | 'permit_nonce' | 'gas_estimate' | 'principal_id'
  > &
  NotNull<RowOf<typeof transactions, 'wallet'> & RowAs<typeof transactions, { nonce: 'wallet_nonce' }>> &
  OrNull<RowOf<typeof transactionAttempts, 'objection' | 'objection_text'>> & {
    attempts: PassedRow['attempts'];
    newest_age_ms: number;
  };
type FoundHead = OrNull<RowAs<typeof projections, { head: 'head_number'; head_hash: 'head_hash' }>>;

/** One page of passed rows, in turn: while the index is stalled, there may be too many for one round. */
async function readPassedRows(
  pool: pg.Pool,
  query: {
    chainId: number;
    wallets: readonly { address: Address; minedCount: number }[];
    after: string;
    quietMs: number;
  },
): Promise<{ rows: PassedRow[]; head: IndexHead | undefined; last: string }> {
  const { rows } = await pool.query<FoundRow>({
    name: 'relay passed',
    text: `
      select passed.*, newest.objection, newest.objection_text, shown.head_number as head, shown.head_hash
      from (select 1) as one
      left join service.projections shown on shown.chain_id = $1
      left join lateral (
        select sent.id, sent.wallet, sent.wallet_nonce as nonce, sent.tx_hash, sent.contract, sent.call_data, sent.signer, sent.permit_nonce, sent.gas_estimate, sent.principal_id, (
            select extract(epoch from now() - max(created_at))::float8 * 1000
            from service.transaction_attempts attempt where attempt.transaction_id = sent.id) as newest_age_ms, (
            select json_agg(json_build_object('id', attempt.id::text, 'wallet', attempt.wallet, 'nonce', attempt.wallet_nonce,
              'hash', attempt.tx_hash, 'isAccepted', attempt.accepted_at is not null) order by attempt.id)
            from service.transaction_attempts attempt where attempt.transaction_id = sent.id) as attempts
        from unnest($2::text[], $3::bigint[]) as wallet(address, mined_count)
        join service.transactions sent on sent.chain_id = $1 and sent.wallet = wallet.address
          and sent.wallet_nonce < wallet.mined_count and sent.state in (${stateLists.sent})
        where sent.updated_at < now() - $4 * interval '1 millisecond' and sent.id > $5
        order by sent.id limit $6) passed on true
      left join lateral (
        select objection, objection_text from service.transaction_attempts attempt
        where attempt.chain_id = $1 and attempt.tx_hash = passed.tx_hash limit 1) newest on true`,
    values: [
      query.chainId,
      query.wallets.map(({ address }) => address),
      query.wallets.map(({ minedCount }) => minedCount),
      query.quietMs,
      query.after,
      page,
    ],
  });
  const [first] = rows;
  const passed = rows.flatMap((row): PassedRow[] => {
    if (row.id === null) return [];
    const {
      id,
      wallet,
      contract,
      attempts,
      objection,
      objection_text: objectionText,
      call_data: callData,
      newest_age_ms: newestAgeMs,
      principal_id: principalId,
    } = row;
    const permit = { signer: row.signer, nonce: BigInt(row.permit_nonce) };
    return [
      {
        id,
        wallet,
        nonce: Number(row.nonce),
        contract,
        callData,
        countedGas: BigInt(row.gas_estimate ?? 0),
        principalId,
        permit,
        attempts,
        newestAgeMs,
        objection,
        objectionText,
      },
    ];
  });
  return {
    rows: passed,
    head: first && readHead(first),
    last: passed.length === page ? (passed.at(-1)?.id ?? '') : '',
  };
}

function readHead(row: FoundHead): IndexHead | undefined {
  if (row.head === null || row.head_hash === null) return undefined;
  return { number: BigInt(row.head), hash: row.head_hash };
}

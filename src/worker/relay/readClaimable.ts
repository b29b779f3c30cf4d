import type pg from 'pg';
import type { Address, Hex } from 'viem';
import type { OrNull, RowAs, RowOf } from '../../platform/database/rowOf.ts';
import {
  ownerKeyOf,
  type transactionAttempts,
  type transactions,
} from '../../platform/database/tables/transactions.ts';
import { hasMoved } from '../../records/agreements/hasMoved.ts';
import type { ClaimTurns, LookedAt } from './claimTurns.ts';
import { acceptedBefore, acceptedOf, isTargetThere, keeperOf, sharedKeyOf } from './rowOrder.ts';
import type { LeaseHolder } from './walletRows.ts';

export type AcceptedRow = {
  readonly id: string;
  readonly contract: Address;
  readonly callData: Hex;
  readonly permit: { readonly signer: Address; readonly nonce: bigint };
  readonly gasEstimate: bigint | undefined;
  /** The newest attempt from before the row was accepted again; undefined if there is none. */
  readonly lastAttemptId: string | undefined;
  /** The nearest accepted rows that must be signed before it. */
  readonly after: readonly string[];
  /**
   * The key of rows that keep their order with it, and the only wallet that may sign these; undefined for any
   * wallet.
   */
  readonly key: string;
  readonly keeper: Address | undefined;
  /** Whose usage counts its gas; null for rows from before this was stored. */
  readonly principalId: string | null;
  /** The trace position of its request; null without tracing. */
  readonly traceParent: string | null;
};

export type ClaimableOptions = {
  wallets: readonly { readonly address: Address }[];
  holder: LeaseHolder;
  limit: number;
  /** Unix seconds of the earliest block for the transactions: rows that expire earlier are skipped. */
  earliest: bigint;
  /** Rows to skip for now, and those among them for which other signers of the same agreement do not wait. */
  excluded: readonly string[];
  waived: readonly string[];
  /** Wallets at their limit of transactions under way: their rows are free for others, if the order allows. */
  full: readonly Address[];
  turns: ClaimTurns;
};

export type FoundRows = {
  /** The counters of those wallets that can send and are leased by this owner. */
  nextNonces: ReadonlyMap<Address, number>;
  rows: readonly AcceptedRow[];
  /** Whether there may be more rows for these wallets. */
  isCut: boolean;
  /** Whether some of the read rows are only for other wallets. */
  waitsForOthers: boolean;
};

type FoundRow = OrNull<RowOf<typeof transactions, 'id'>> &
  RowOf<
    typeof transactions,
    'contract' | 'call_data' | 'signer' | 'permit_nonce' | 'gas_estimate' | 'principal_id' | 'trace_parent'
  > &
  OrNull<RowAs<typeof transactionAttempts, { last_attempt_id: 'id' }>> & {
    wallets: Record<Address, number> | null;
    looked: LookedAt[] | null;
    waits_for_others: boolean | null;
    is_round_cut: boolean | null;
    after: (string | null)[];
    key: string;
    keeper: Address | null;
  };

/** The state in a form that matches no index: the rows are found by id. */
const isSignable = `tx.state || '' = 'accepted' and tx.deadline >= $4::numeric and tx.id <> all($5)
  and (tx.reserved_until is null or tx.reserved_until < now())`;

const accepted = `service.transactions tx where tx.chain_id = $1 and tx.state = 'accepted'`;

/**
 * The principals with anything to sign, from the one after the last on and once round, each found by one step
 * in the index.
 */
const round = `
  select $8::text as principal, 0 as lap, 0 as place
  union all
  select next.principal, next.lap, round.place + 1
  from round cross join lateral (
    (select * from (
        select ${ownerKeyOf('tx.')} as principal, round.lap from ${accepted} and ${ownerKeyOf('tx.')} > round.principal
        order by ${ownerKeyOf('tx.')} limit 1) as one
      where round.lap = 0 or one.principal <= $8)
    union all
    (select ${ownerKeyOf('tx.')}, 1 from ${accepted} and round.lap = 0 and ${ownerKeyOf('tx.')} <= $8
      order by ${ownerKeyOf('tx.')} limit 1)
    order by 2 limit 1) as next
  where round.place < $6::int`;

/** Oldest first, and few: the rows read of a principal do not depend on how many it has. */
const windows = `
  select principals.principal, tx.*
  from principals left join unnest($9::text[], $10::timestamptz[], $11::text[]) as position(principal, created_at, id)
    on position.principal = principals.principal
  cross join lateral (
    select tx.id, tx.gas_estimate, tx.created_at, ${sharedKeyOf('tx.')} as key
    from ${accepted} and ${ownerKeyOf('tx.')} = principals.principal
      and (tx.created_at, tx.id) > (coalesce(position.created_at, '-infinity'), coalesce(position.id, ''))
    order by tx.created_at, tx.id limit (select 2 * size + 8 from share)) as tx`;

const isExpired = 'earlier.deadline < $4::numeric';
/** Other signers' rows wait only for rows that will be signed at once. */
const isPassedBy = `earlier.signer <> tx.signer and (earlier.id = any($7) or ${isExpired} or ${hasMoved('earlier')})`;
const predecessors = `
  select count(*) as count,
    coalesce(bool_or(earlier.id = any($5) or earlier.reserved_until > now() or ${isExpired}), false) as are_held_up,
    array[
      (array_agg(earlier.id order by earlier.created_at desc, earlier.id desc) filter (where earlier.signer = tx.signer))[1],
      (array_agg(earlier.id order by earlier.created_at desc, earlier.id desc) filter (where earlier.signer <> tx.signer))[1]] as nearest
  from (${acceptedBefore('tx', { isPassedBy, limit: '$6::int' })}) as earlier`;

/**
 * The orders among the read rows: the wallet that may sign each, and how many rows can be signed in a row;
 * none if the first one cannot.
 */
const keys = `
  select oldest.*, oldest.keeper is null or oldest.keeper = any($2) as is_free, (
    select count(*) from (${acceptedOf('oldest.key', '$6::int')}) as deep
    where (oldest.keeper is null or oldest.keeper = any($2)) and exists (
      select 1 from (${acceptedOf('oldest.key', '1')}) as tx
      where ${isSignable} and ${isTargetThere('tx')} offset 0)) as depth
  from (
    select one.*, ${keeperOf('one.key', { chainId: '$1', gasEstimate: 'one.gas_estimate', full: '$12' })} as keeper
    from (select distinct on (key) key, gas_estimate from windows order by key, created_at, id)
      as one offset 0) as oldest`;

/** The orders in which each principal has rows, and since when its oldest one of them waits. */
const wants = `
  select principal, key, min(created_at) as since from windows group by principal, key`;

/** Each principal's oldest keys, until their rows fill its share. */
const chosen = `
  select principal, key, since from (
    select wants.*, depth, coalesce(sum(depth) over (
      partition by wants.principal order by wants.since, key rows between unbounded preceding and 1 preceding), 0) as before
    from wants join keys using (key)) as counted
  where depth > 0 and before < 2 * (select size from share)`;

/**
 * All waiting rows of one agreement are signed in one go, by the wallet that must continue it. Otherwise each
 * wallet would begin many agreements, and be full before it finishes any. They take the turns of each
 * principal that wants them: its own row waits for the rows before it, whoever owns them.
 */
const candidates = `
  select windows.id, wants.principal, key, keys.keeper, wants.since
  from windows join wants using (principal, key) join keys using (key) where keys.is_free
  union
  select deep.id, chosen.principal, key, keys.keeper, chosen.since
  from chosen join keys using (key) cross join lateral (${acceptedOf('chosen.key', '$6::int')}) as deep`;

/**
 * Each principal's share, in the principals' order: every first row comes before any second one. Other owners' rows
 * that its own must follow get as many turns again. So they move although their owner has older rows. However many they
 * are, the principal's other agreements go on.
 */
const picked = `
  select id, key, keeper, nearest, principal, is_own, turn, place from (
    select wanted.*, row_number() over (partition by principal, is_own order by since, key, created_at, id) as turn
    from (
      select tx.id, tx.created_at, candidates.key, candidates.since, candidates.keeper, before.nearest, principal,
        principals.place, ${ownerKeyOf('tx.')} = principal as is_own
      from candidates join service.transactions tx on tx.id = candidates.id join principals using (principal)
      cross join lateral (${predecessors}) as before
      where ${isSignable} and before.count < $6::int and not before.are_held_up and ${isTargetThere('tx')}) as wanted) as free
  where turn <= (select size from share)`;

const claimStatement = `
  with recursive held as (
    select address, next_nonce from service.relayer_wallets
    where chain_id = $1 and address = any($2) and lease_owner = $3 and lease_until > now() and status = 'active'
    order by address for update),
  senders as materialized (select json_object_agg(address, next_nonce) as wallets from held),
  round as (${round}),
  principals as materialized (select principal, place from round where place > 0),
  share as materialized (
    select ceil($6::numeric / greatest(count(*), 1))::int as size from principals),
  windows as materialized (${windows}),
  keys as materialized (${keys}),
  wants as materialized (${wants}),
  chosen as materialized (${chosen}),
  candidates as materialized (${candidates}),
  picked as materialized (${picked}),
  found as (
    select tx.id, tx.contract, tx.call_data, tx.signer, tx.permit_nonce, tx.gas_estimate, tx.principal_id, tx.trace_parent, tx.created_at,
      picked.nearest as after, picked.key, picked.keeper
    from (
      select * from (select distinct on (id) * from picked order by id, turn, place) as once
      order by turn, place limit $6) as picked
    join service.transactions tx on tx.id = picked.id
    where ${isSignable} order by tx.created_at, tx.id
    for update of tx skip locked),
  -- In the order of acceptance, but none before an earlier nonce of its signer.
  placed as (
    select found.*, max(created_at) over (partition by key, signer order by permit_nonce) as since from found)
  select senders.wallets, tx.*, (
      select max(id) from service.transaction_attempts where transaction_id = tx.id) as last_attempt_id, (
      select json_agg(json_build_object('principal', looked.principal, 'createdAt', looked.created_at::text, 'id', looked.id,
          'isCut', looked.count = 2 * share.size + 8, 'isServed', (
            select count(*) from picked where picked.principal = looked.principal and picked.is_own) >= share.size) order by principals.place)
      from (
        select distinct on (principal) principal, created_at, id, count(*) over (partition by principal) as count
        from windows order by principal, created_at desc, id desc) as looked
        join principals using (principal), share) as looked, (
      select max(place) = $6::int from round) as is_round_cut, (
      select bool_or(not is_free) from keys) as waits_for_others
  from senders left join placed tx on senders.wallets is not null
  order by tx.since, tx.since > tx.created_at, case when tx.since > tx.created_at then tx.permit_nonce end, tx.id`;

/**
 * Locks the wallets' rows, and free accepted rows for these wallets: in turns over principals, of each one
 * the agreements that have waited longest. It reads a few times as much as it may return, however many rows
 * wait.
 */
export async function readClaimable(client: pg.PoolClient, options: ClaimableOptions): Promise<FoundRows> {
  const { wallets, holder, limit, earliest, excluded, waived, full, turns } = options;
  const positions = turns.positions();
  const { rows } = await client.query<FoundRow>({
    name: 'relay claim',
    text: claimStatement,
    values: [
      holder.chainId,
      wallets.map(({ address }) => address),
      holder.owner,
      String(earliest),
      excluded,
      limit,
      waived,
      turns.last(),
      positions.map(({ principal }) => principal),
      positions.map(({ position }) => position.createdAt),
      positions.map(({ position }) => position.id),
      full,
    ],
  });
  const [first] = rows;
  const looked = first?.looked ?? [];
  turns.note(looked);
  return {
    nextNonces: new Map(wallets.flatMap(({ address }) => readNonce(address, first?.wallets))),
    rows: rows.flatMap(readAccepted),
    isCut: first?.is_round_cut === true || looked.some(({ isCut, isServed }) => isCut || isServed),
    waitsForOthers: first?.waits_for_others ?? false,
  };
}

function readNonce(address: Address, nonces: FoundRow['wallets'] | undefined): [Address, number][] {
  const nonce = nonces?.[address];
  return nonce === undefined ? [] : [[address, nonce]];
}

function readAccepted(row: FoundRow): AcceptedRow[] {
  if (row.id === null) return [];
  const gasEstimate = row.gas_estimate === null ? undefined : BigInt(row.gas_estimate);
  const lastAttemptId = row.last_attempt_id ?? undefined;
  const {
    id,
    contract,
    call_data: callData,
    key,
    principal_id: principalId,
    trace_parent: traceParent,
  } = row;
  const permit = { signer: row.signer, nonce: BigInt(row.permit_nonce) };
  const after = row.after.filter((earlier) => earlier !== null);
  const keeper = row.keeper ?? undefined;
  return [
    {
      id,
      contract,
      callData,
      permit,
      gasEstimate,
      lastAttemptId,
      after,
      key,
      keeper,
      principalId,
      traceParent,
    },
  ];
}

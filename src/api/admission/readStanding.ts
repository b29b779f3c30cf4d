import type pg from 'pg';
import type { Address, Hex } from 'viem';
import { indexViewsSchemaName as index } from '../../platform/database/indexNames.ts';
import type {
  indexedAgreements,
  indexedBlocks,
  indexedPermitCounts,
} from '../../platform/database/indexView.ts';
import { inGroups } from '../../platform/database/inGroups.ts';
import type { OrNull, RowAs, RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import { openStates, orderKeyOf, stateLists } from '../../platform/database/tables/transactions.ts';
import { hasMoved } from '../../records/agreements/hasMoved.ts';
import type { GasBound } from '../../records/gas/learnedGas.ts';

/** An agreement in the index, with the outbox rows whose effects it does not show yet; at one moment. */
export type Standing = {
  readonly transactionHash: Hex;
  readonly state: Hex;
  /** The number of inputs in the index, the block of the last one or of the deployment, and its hash. */
  readonly position: number;
  readonly blockNumber: string;
  readonly blockHash: Hex | null;
  /** Unix seconds of the newest block of the index. */
  readonly headTimestamp: number;
  /** Unix seconds by the database's clock. */
  readonly databaseTime: number;
  /**
   * Inputs that store something, newest first, within `readInputs` and `mostCharacters`. Undefined if the caller
   * already has them.
   */
  readonly storing: readonly { readonly inputId: Hex; readonly payload: Hex }[] | undefined;
  /** Whether no earlier input stores anything. */
  readonly isStoringWhole: boolean;
  /** The next nonces, by signer in lower case, of the requested signer and of open rows' signers. */
  readonly nonces: ReadonlyMap<string, bigint>;
  /** In the order of their effects; `mostOpen` and one more if there are too many. */
  readonly open: readonly OpenRow[];
  /** The learned gas of the requested kind. */
  readonly gasBound: GasBound | undefined;
};

export type OpenRow = {
  readonly id: string;
  readonly signer: Address;
  readonly nonce: bigint;
  /** Undefined for the rows that the query names as known. */
  readonly callData: Hex | undefined;
  /** Unsigned: from its deadline on it has no effect. */
  readonly isWaiting: boolean;
};

export type StandingQuery = {
  readonly chainId: number;
  readonly contract: Address;
  readonly signer: Address;
  readonly storingInputs: readonly string[];
  readonly gasKind: string;
  /** The asking principal. */
  readonly asker: string;
  /** The principal whose open rows count; undefined for everybody's. */
  readonly principalId: string | undefined;
  /** Outbox rows whose call data the caller has. */
  readonly known: ReadonlySet<string>;
  /** The moment, by `identifyMoment`, whose stored values the caller has. */
  readonly knownMoment: string | undefined;
};

/** The most accepted inputs that are read for the contract's stored values. */
export const readInputs = 1_000;
/** The most open inputs of one agreement that are applied on top of each other. */
export const mostOpen = 256;
/**
 * Characters of call data of open inputs, and of payloads of accepted ones: more would block the event loop
 * for long.
 */
export const mostCharacters = 2 * 1024 * 1024;

/** The moment of the index; undefined without its block's hash, because a reorg could not be told from it. */
export function identifyMoment({
  transactionHash,
  position,
  blockNumber,
  blockHash,
}: Pick<Standing, 'transactionHash' | 'position' | 'blockNumber' | 'blockHash'>): string | undefined {
  return blockHash === null ? undefined : `${transactionHash} ${position} ${blockNumber} ${blockHash}`;
}

/** As `identifyMoment` does; null without the hash. */
const shownMoment = `shown.transaction_hash || ' ' || shown.input_count || ' ' || shown.updated_block_number || ' ' || (
  select hash from ${index}.blocks where chain_id = asked.chain_id and number = shown.updated_block_number)`;

/** Whether the index shows the newest folded block: then it shows the effect of every mined row. */
const showsAllThatIsFolded = `
  select exists (
    select 1 from ${index}.blocks shown
    where shown.chain_id = asked.chain_id and shown.number = newest.number and shown.hash = newest.hash)
  from (
    select folded.number::numeric, folded.hash from service.folded_blocks folded where folded.chain_id = asked.chain_id
    order by folded.number desc limit 1) as newest`;

/**
 * The rows that can still change the index, read state by state along the index, to skip entries of rows that
 * have moved on. There are many mined rows; they count only if a reorg has removed folded blocks. Unsigned rows for an
 * agreement that was at the address before a reorg are not sent.
 */
const openRows = `
  select open.id, open.signer, open.nonce, open.mined, open."isWaiting", case
    when open.id = any(asked.known) then null
    when sum(octet_length(open."callData")) over (order by open.created_at, open.id) <= ${mostCharacters}
    then open."callData" end as "callData"
  from unnest(case when (${showsAllThatIsFolded}) then asked.open_keys else asked.open_keys || asked.mined_key end) as wanted(key)
  cross join lateral (
    select sent.id, sent.signer, sent.permit_nonce::text as nonce, sent.call_data as "callData", sent.created_at,
      used.count::text as mined, sent.state = 'accepted' as "isWaiting"
    from service.transactions sent
    cross join lateral (select case when lower(sent.signer) = asked.signer then own.nonce else coalesce((
      select count from ${index}.permit_counts
      where chain_id = asked.chain_id and contract = asked.contract and signer = lower(sent.signer)), 0) end as count offset 0) as used
    where ${orderKeyOf('sent.')} = wanted.key and sent.state in (${stateLists.unsettled})
      and sent.permit_nonce >= used.count and (sent.state <> 'accepted' or not ${hasMoved('sent')}) and (asked.principal_id is null or sent.principal_id = asked.principal_id or exists (
        select 1 from service.inputs shared where shared.transaction_id = sent.id and shared.user_id = asked.principal_id and shared.status <> 'FAILED' offset 0))
    order by sent.created_at, sent.id limit ${mostOpen + 1}) as open
  order by open.created_at, open.id limit ${mostOpen + 1}`;

/**
 * Each piece is looked up by its key, so that neither the number of requests nor the size of the tables
 * changes a plan. The own nonce is read once: most open rows of an agreement are often of the same signer.
 * `offset 0` keeps the planner from reading a nonce twice for a row, and from hashing all inputs of a principal.
 */
const statement = `
  select asked.ordinal, standing.*
  from json_to_recordset($1::json) as asked(ordinal int, chain_id int, contract text, signer text, storing text[], open_keys text[],
    mined_key text, gas_kind text, principal_id text, known text[], known_moment text)
  cross join lateral (
    select coalesce((
      select count from ${index}.permit_counts
      where chain_id = asked.chain_id and contract = asked.contract and signer = asked.signer), 0) as nonce offset 0) as own
  cross join lateral (
    select shown.transaction_hash, shown.current_state, shown.input_count, shown.updated_block_number::text as block_number, (
        select hash from ${index}.blocks where chain_id = asked.chain_id and number = shown.updated_block_number) as block_hash, (
        select timestamp::float8 from ${index}.heads where chain_id = asked.chain_id) as head_timestamp, extract(epoch from now())::float8 as database_time, own.nonce::text as own_nonce, (
        select json_build_object('executionGas', execution_gas::text, 'callBytes', call_bytes) from service.gas_bounds
        where chain_id = asked.chain_id and kind = asked.gas_kind) as learned, (
        select json_agg(json_build_object('inputId', input_id, 'payload', payload) order by position desc)
        from (
          select input_id, position, case
            when sum(octet_length(payload)) over (order by position desc) <= ${mostCharacters} then payload end as payload
          from ${index}.inputs where cardinality(asked.storing) > 0
            and (asked.known_moment is null or asked.known_moment is distinct from ${shownMoment}) and chain_id = asked.chain_id and agreement = asked.contract
            and position > shown.input_count - ${readInputs} and input_id = any(asked.storing)) as newest) as storing, (
        select json_agg(open) from (${openRows}) as open) as open
    from ${index}.agreements shown
    where shown.chain_id = asked.chain_id and shown.address = asked.contract limit 1) as standing`;

type Row = RowOf<typeof indexedAgreements, 'transaction_hash' | 'current_state' | 'input_count'> &
  RowAs<typeof indexedAgreements, { block_number: 'updated_block_number' }> &
  OrNull<RowAs<typeof indexedBlocks, { block_hash: 'hash' }>> &
  RowAs<typeof indexedPermitCounts, { own_nonce: 'count' }> & {
    ordinal: number;
    head_timestamp: number | null;
    database_time: number;
    learned: { executionGas: string; callBytes: number | null } | null;
    storing: { inputId: Hex; payload: Hex | null }[] | null;
    open:
      | (Omit<OpenRow, 'nonce' | 'callData'> & { nonce: string; mined: string; callData: Hex | null })[]
      | null;
  };

/**
 * Undefined if the index does not show the agreement, and if the open rows have too many characters that the caller
 * does not know.
 * Concurrent requests of one principal are read in one statement.
 */
export async function readStanding(pool: pg.Pool, query: StandingQuery): Promise<Standing | undefined> {
  const row = await readRow(pool, query);
  if (!row || row.current_state === null || row.head_timestamp === null) return undefined;
  const open = row.open ?? [];
  if (open.some(({ id, callData }) => callData === null && !query.known.has(id))) return undefined;
  const moment = {
    transactionHash: row.transaction_hash,
    position: row.input_count,
    blockNumber: row.block_number,
    blockHash: row.block_hash,
  };
  const isKnown = query.knownMoment !== undefined && query.knownMoment === identifyMoment(moment);
  const storing = (row.storing ?? []).flatMap(({ payload, inputId }) =>
    payload === null ? [] : { inputId, payload },
  );
  const nonces = new Map(open.map((sent) => [sent.signer.toLowerCase(), BigInt(sent.mined)]));
  nonces.set(query.signer.toLowerCase(), BigInt(row.own_nonce));
  return {
    ...moment,
    state: row.current_state,
    headTimestamp: row.head_timestamp,
    databaseTime: row.database_time,
    storing: isKnown ? undefined : storing,
    isStoringWhole: row.input_count <= readInputs && storing.length === (row.storing?.length ?? 0),
    nonces,
    open: open.map(({ mined: _, nonce, callData, ...sent }) => ({
      ...sent,
      nonce: BigInt(nonce),
      callData: callData ?? undefined,
    })),
    gasBound: row.learned
      ? { executionGas: BigInt(row.learned.executionGas), callBytes: row.learned.callBytes ?? 0 }
      : undefined,
  };
}

const readRow = inGroups<StandingQuery, Row | undefined>(
  async (pool, queries) => {
    const asked = queries.map(describeQuery);
    const rows = await runPrepared<Row>(pool, statement, [JSON.stringify(asked)]);
    const found = new Map(rows.map((row) => [row.ordinal, row]));
    return queries.map((_, ordinal) => found.get(ordinal));
  },
  ({ asker }) => asker,
);

function describeQuery(query: StandingQuery, ordinal: number) {
  const { chainId, contract, signer, storingInputs, gasKind, principalId } = query;
  const keyOf = (state: string) => `${state} ${chainId} ${contract}`;
  return {
    ordinal,
    chain_id: chainId,
    contract: contract.toLowerCase(),
    signer: signer.toLowerCase(),
    storing: storingInputs,
    open_keys: openStates.map(keyOf),
    mined_key: keyOf('mined'),
    gas_kind: gasKind,
    principal_id: principalId,
    known: [...query.known],
    known_moment: query.knownMoment,
  };
}

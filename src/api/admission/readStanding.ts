import type pg from 'pg';
import type { Address, Hex } from 'viem';
import { indexViewsSchemaName as index } from '../../platform/database/indexNames.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import { openStates, orderKeyOf, stateLists } from '../../platform/database/tables/transactions.ts';
import type { GasBound } from '../../records/gas/learnedGas.ts';

/** An agreement as the index shows it, with the rows of the outbox whose effects it does not show yet; at one moment. */
export type Standing = {
  readonly transactionHash: Hex;
  readonly state: Hex;
  /** How many inputs the index shows, the block of the last of them or of the deployment, and its hash. */
  readonly position: number;
  readonly blockNumber: string;
  readonly blockHash: Hex | null;
  /** Unix seconds of the newest block of the index. */
  readonly headTimestamp: number;
  /** Inputs of those that store something, the newest first, of the last `readInputs`, as far as they are short enough together. */
  readonly storing: readonly { readonly inputId: Hex; readonly payload: Hex }[];
  /** Whether there is nothing that stores something before those. */
  readonly isStoringWhole: boolean;
  /** The next nonces, by signer in lower case, of the signer that was asked for and of those of open rows. */
  readonly nonces: ReadonlyMap<string, bigint>;
  /** In the order in which they take effect; `mostOpen` and one more where there are too many. */
  readonly open: readonly OpenRow[];
  /** What is learned of the kind that was asked for. */
  readonly gasBound: GasBound | undefined;
};

export type OpenRow = {
  readonly id: string;
  readonly signer: Address;
  readonly nonce: bigint;
  readonly callData: Hex;
  /** Not signed yet: from its deadline on it has no effect. */
  readonly isWaiting: boolean;
};

export type StandingQuery = {
  readonly chainId: number;
  readonly contract: Address;
  readonly signer: Address;
  /** Whose inputs store something, in this agreement. */
  readonly storingInputs: readonly string[];
  readonly gasKind: string;
  /** Whose open rows alone are looked at; undefined for everybody's. */
  readonly principalId: string | undefined;
};

/** Accepted inputs that are looked at for what the contract stores. */
export const readInputs = 1_000;
/** Open inputs of one agreement that are applied on top of each other. */
export const mostOpen = 256;
/** Characters of call data of open inputs, and of payloads of accepted ones: more would take the event loop for long. */
const mostCharacters = 2 * 1024 * 1024;

/** Whether the index shows the newest block that was folded: then it shows the effect of every row that is mined. */
const showsAllThatIsFolded = `
  select exists (
    select 1 from ${index}.blocks shown
    where shown.chain_id = $1::int and shown.number = newest.number and shown.hash = newest.hash)
  from (
    select number::numeric, hash from service.folded_blocks where chain_id = $1::int order by number desc limit 1) as newest`;

/**
 * The rows that can still change what the index shows: state by state along the index, past entries of rows that have moved on. Those that
 * are mined are many, and among them only where a reorganisation has taken blocks that are folded.
 */
const openRows = (whose: string) => `
  select open.id, open.signer, open.nonce, open.mined, open."isWaiting", case
    when sum(octet_length(open."callData")) over (order by open.created_at, open.id) <= ${mostCharacters}
    then open."callData" end as "callData"
  from unnest(case when (${showsAllThatIsFolded}) then $5::text[] else $5::text[] || $7::text end) as wanted(key) cross join lateral (
    select sent.id, sent.signer, sent.permit_nonce::text as nonce, sent.call_data as "callData", sent.created_at,
      coalesce(used.count, 0)::text as mined, sent.state = 'accepted' as "isWaiting"
    from service.transactions sent
    left join ${index}.permit_counts used on used.chain_id = $1::int and used.contract = $2 and used.signer = lower(sent.signer)
    where ${orderKeyOf('sent.')} = wanted.key and sent.state in (${stateLists.unsettled})
      and sent.permit_nonce >= coalesce(used.count, 0) ${whose}
    order by sent.created_at, sent.id limit ${mostOpen + 1}) as open
  order by open.created_at, open.id limit ${mostOpen + 1}`;

const statementFor = (whose: string) => `
  select shown.transaction_hash, shown.current_state, shown.input_count, shown.updated_block_number::text as block_number,
    block.hash as block_hash, head.timestamp::float8 as head_timestamp, coalesce(own.count, 0)::text as own_nonce,
    learned.execution_gas::text as execution_gas, learned.call_bytes, (
      select json_agg(json_build_object('inputId', input_id, 'payload', payload) order by position desc)
      from (
        select input_id, position, case
          when sum(octet_length(payload)) over (order by position desc) <= ${mostCharacters} then payload end as payload
        from ${index}.inputs where cardinality($4::text[]) > 0 and chain_id = $1::int and agreement = $2
          and position > shown.input_count - ${readInputs} and input_id = any($4::text[])) as newest) as storing, (
      select json_agg(open) from (${openRows(whose)}) as open) as open
  from ${index}.agreements shown
  join ${index}.heads head on head.chain_id = $1::int
  left join ${index}.blocks block on block.chain_id = $1::int and block.number = shown.updated_block_number
  left join ${index}.permit_counts own on own.chain_id = $1::int and own.contract = $2 and own.signer = $3
  left join service.gas_bounds learned on learned.chain_id = $1::int and learned.kind = $6
  where shown.chain_id = $1::int and shown.address = $2`;

const statement = statementFor('');
const ofPrincipal = statementFor(`and (sent.principal_id = $8 or exists (
  select 1 from service.inputs shared where shared.transaction_id = sent.id and shared.user_id = $8))`);

type Row = {
  transaction_hash: Hex;
  current_state: Hex | null;
  input_count: number;
  block_number: string;
  block_hash: Hex | null;
  head_timestamp: number;
  own_nonce: string;
  execution_gas: string | null;
  call_bytes: number | null;
  storing: { inputId: Hex; payload: Hex | null }[] | null;
  open:
    | (Omit<OpenRow, 'nonce' | 'callData'> & { nonce: string; mined: string; callData: Hex | null })[]
    | null;
};

/** Undefined while the index does not show the agreement, and where what is open has too many characters. */
export async function readStanding(pool: pg.Pool, query: StandingQuery): Promise<Standing | undefined> {
  const { chainId, contract, signer, storingInputs, gasKind, principalId } = query;
  const keyOf = (state: string) => `${state} ${chainId} ${contract}`;
  const values = [
    chainId,
    contract.toLowerCase(),
    signer.toLowerCase(),
    storingInputs,
    openStates.map(keyOf),
    gasKind,
    keyOf('mined'),
  ];
  const [row] =
    principalId === undefined
      ? await runPrepared<Row>(pool, statement, values)
      : await runPrepared<Row>(pool, ofPrincipal, [...values, principalId]);
  if (!row || row.current_state === null) return undefined;
  const open = (row.open ?? []).flatMap(({ callData, ...sent }) =>
    callData === null ? [] : { ...sent, callData },
  );
  if (open.length < (row.open?.length ?? 0)) return undefined;
  const storing = (row.storing ?? []).flatMap(({ payload, inputId }) =>
    payload === null ? [] : { inputId, payload },
  );
  const nonces = new Map(open.map((sent) => [sent.signer.toLowerCase(), BigInt(sent.mined)]));
  nonces.set(signer.toLowerCase(), BigInt(row.own_nonce));
  return {
    transactionHash: row.transaction_hash,
    state: row.current_state,
    position: row.input_count,
    blockNumber: row.block_number,
    blockHash: row.block_hash,
    headTimestamp: row.head_timestamp,
    storing,
    isStoringWhole: row.input_count <= readInputs && storing.length === (row.storing?.length ?? 0),
    nonces,
    open: open.map(({ mined: _, nonce, ...sent }) => ({ ...sent, nonce: BigInt(nonce) })),
    gasBound:
      row.execution_gas === null
        ? undefined
        : { executionGas: BigInt(row.execution_gas), callBytes: row.call_bytes ?? 0 },
  };
}

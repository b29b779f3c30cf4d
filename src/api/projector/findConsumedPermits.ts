import { type SQL, sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import { inputContentHash } from '../database/contentHash.ts';
import type { Queryable } from '../database/database.ts';
import { arrayOf } from '../database/statements.ts';
import type { Candidate } from './settlePermits.ts';

type Range = {
  chainId: number;
  /** The blocks that are folded now: their effects may also show that a transaction was called failed too early. */
  added: readonly bigint[];
  through: bigint;
};

type Row = {
  id: string;
  is_open: boolean;
  content_hash: Hex;
  deadline: string;
  permit: string;
  transaction_hash: Hex;
  block_number: string;
  block_timestamp: string;
};

const facts = sql`it.id, it.state <> 'failed' as is_open, it.content_hash, it.deadline::text, it.created_at,
  concat_ws(' ', it.kind, it.contract, it.signer, it.permit_nonce) as permit,
  effect.transaction_hash, effect.block_number::text, effect.block_timestamp::text`;

/** Every open transaction whose permit's nonce the index shows used up, and every failed one with an effect in `added`. */
export async function findConsumedPermits(transaction: Queryable, range: Range): Promise<Candidate[]> {
  const inputs = await transaction.execute<Row & { input_id: Hex; payload: Hex }>(
    query(range, 'input', sql`${facts}, effect.input_id, effect.payload`, 'inputs', 'agreement'),
  );
  const deployments = await transaction.execute<Row & { doc_hash: Hex }>(
    query(range, 'deploy', sql`${facts}, effect.doc_hash`, 'agreements', 'factory'),
  );
  return [
    ...inputs.rows.map((row) =>
      candidateOf(row, inputContentHash({ inputId: row.input_id, payload: row.payload })),
    ),
    ...deployments.rows.map((row) => candidateOf(row, row.doc_hash)),
  ];
}

function query(range: Range, kind: string, columns: SQL, effects: string, contract: string): SQL {
  const { chainId, added, through } = range;
  const isEffect = sql`effect.chain_id = ${chainId} and effect.${sql.identifier(contract)} = lower(it.contract)
    and effect.permit_signer = lower(it.signer) and effect.permit_nonce = it.permit_nonce`;
  const table = sql`chain_index.${sql.identifier(effects)}`;
  // The count says of each signer which nonces are used up: effects are looked for where there is one, whatever the planner thinks.
  const open = sql`with consumed as materialized (
      select * from service.transactions it
      where chain_id = ${chainId} and kind = ${kind} and state in ('accepted', 'signed', 'broadcast') and permit_nonce < (
        select count from chain_index.permit_counts counted
        where counted.chain_id = it.chain_id and counted.contract = lower(it.contract) and counted.signer = lower(it.signer)))
    select ${columns} from consumed it join ${table} effect on ${isEffect} and effect.block_number <= ${through}`;
  if (added.length === 0) return open;
  return sql`${open} union all
    select ${columns} from service.transactions it join ${table} effect on ${isEffect}
    where it.chain_id = ${chainId} and it.kind = ${kind} and it.state = 'failed'
      and effect.block_number = any(${arrayOf(added)}::numeric[])
    order by created_at desc, id`;
}

function candidateOf(row: Row, effectHash: Hex): Candidate {
  return {
    id: row.id,
    isOpen: row.is_open,
    contentHash: row.content_hash,
    deadline: BigInt(row.deadline),
    permit: row.permit,
    effect: {
      contentHash: effectHash,
      transactionHash: row.transaction_hash,
      blockNumber: BigInt(row.block_number),
      blockTimestamp: BigInt(row.block_timestamp),
    },
  };
}

import { type SQL, sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import { inputContentHash } from '../../platform/database/contentHash.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { indexedAgreements, indexedInputs } from '../../platform/database/indexView.ts';
import type { RowAs, RowOf } from '../../platform/database/rowOf.ts';
import { stateLists, type transactions } from '../../platform/database/tables/transactions.ts';
import { inBlocks } from './inBlocks.ts';
import type { Candidate } from './settlePermits.ts';

type Range = {
  chainId: number;
  /** The blocks being folded. Their effects can also show that a transaction was failed too early. */
  added: readonly bigint[];
  through: bigint;
  /**
   * Checks every open transaction: one may have been stored after the block of its permit's effect was
   * folded.
   */
  isWhole: boolean;
};

type Row = RowOf<typeof transactions, 'id' | 'content_hash' | 'deadline'> &
  RowOf<typeof indexedInputs, 'transaction_hash' | 'block_number' | 'block_timestamp'> & {
    is_open: boolean;
    permit: string;
  };
type InputRow = Row & RowOf<typeof indexedInputs, 'input_id' | 'payload'>;
type DeploymentRow = Row &
  RowOf<typeof indexedAgreements, 'doc_hash'> &
  RowAs<typeof indexedAgreements, { effect_hash: 'content_hash' }>;

const facts = sql`sent.id, sent.state <> 'failed' as is_open, sent.content_hash, sent.deadline::text, sent.created_at,
  concat_ws(' ', sent.kind, sent.contract, sent.signer, sent.permit_nonce) as permit,
  effect.transaction_hash, effect.block_number::text, effect.block_timestamp::text`;

/** Where the index stores the effects of a kind of permit, with their content. */
type Effects = { kind: string; table: SQL; contract: SQL; content: SQL };

const inputEffects: Effects = {
  kind: 'input',
  table: sql`chain_index.inputs`,
  contract: sql`effect.agreement`,
  content: sql`effect.input_id, effect.payload`,
};

const deploymentEffects: Effects = {
  kind: 'deploy',
  table: sql`chain_index.agreements`,
  contract: sql`effect.factory`,
  content: sql`effect.doc_hash, effect.content_hash as effect_hash`,
};

/**
 * The open transactions whose permit's nonce is used up in the index: by the blocks in `added`, or in a whole
 * scan by any block. Also every failed transaction with an effect in `added`.
 */
export async function findConsumedPermits(transaction: Queryable, range: Range): Promise<Candidate[]> {
  const inputs = await transaction.execute<InputRow>(selectCandidates(range, inputEffects));
  const deployments = await transaction.execute<DeploymentRow>(selectCandidates(range, deploymentEffects));
  return [
    ...inputs.rows.map((row) =>
      candidateOf(row, inputContentHash({ inputId: row.input_id, payload: row.payload })),
    ),
    // Rows of earlier versions have only the document.
    ...deployments.rows.map((row) =>
      candidateOf(row, row.content_hash === row.doc_hash ? row.doc_hash : row.effect_hash),
    ),
  ];
}

/**
 * Independent of the planner's estimates for fast-growing tables: each effect of the blocks looks up its own
 * transactions, and the whole scan looks up effects only if a signer's number of used nonces shows that there
 * is one.
 */
function selectCandidates({ chainId, added, through, isWhole }: Range, effects: Effects): SQL {
  const { kind, table, contract, content } = effects;
  const columns = sql`${facts}, ${content}`;
  const isEffect = sql`effect.chain_id = ${chainId} and ${contract} = lower(sent.contract)
    and effect.permit_signer = lower(sent.signer) and effect.permit_nonce = sent.permit_nonce`;
  const ofBlocks = (state: SQL) => sql`
    select ${columns} from shown effect cross join lateral (
      select * from service.transactions sent
      where sent.chain_id = ${chainId} and ${isEffect} and sent.kind = ${kind} and ${state} offset 0) as sent`;
  return sql`
    with shown as materialized (
      select * from ${table} where chain_id = ${chainId} and ${inBlocks(sql`block_number`, added)}),
    consumed as materialized (
      select * from service.transactions sent
      where ${isWhole}::boolean and chain_id = ${chainId} and kind = ${kind} and state in (${stateLists.open})
        and permit_nonce < (
          select count from chain_index.permit_counts counted
          where counted.chain_id = sent.chain_id and counted.contract = lower(sent.contract) and counted.signer = lower(sent.signer)))
    select ${columns} from consumed sent join ${table} effect on ${isEffect} and effect.block_number <= ${through}
    union all
    ${ofBlocks(sql`sent.state <> 'failed' and sent.state || '' not in ('mined', 'final')`)} where not ${isWhole}::boolean
    union all
    ${ofBlocks(sql`sent.state = 'failed'`)}
    order by created_at desc, id`;
}

function candidateOf(row: Row, effectHash: Hex | null): Candidate {
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

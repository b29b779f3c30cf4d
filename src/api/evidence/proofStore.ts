import type pg from 'pg';
import type { Hex } from 'viem';
import type { RowAs } from '../../platform/database/rowOf.ts';
import type { evidenceProofs } from '../../platform/database/tables/evidence.ts';
import type { ProvedBlock } from './proveBlock.ts';

export type StoredProof = RowAs<
  typeof evidenceProofs,
  {
    readonly blockHash: 'block_hash';
    readonly transactionHash: 'transaction_hash';
    /** JSON of the block as in files. */
    readonly block: 'block';
    readonly transactionIndex: 'transaction_index';
    /** JSON of the transaction without the index of its block in the file. */
    readonly entry: 'entry';
  }
>;

/** Age since the last use. */
const keptDays = 30;
const batchSize = 1_000;

/** Which transactions of a chain, named by block and transaction, have been proved already; records the use. */
export async function findProved(
  pool: pg.Pool,
  chainId: number,
  places: readonly { blockHash: Hex; transactionHash: Hex }[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let at = 0; at < places.length; at += batchSize) {
    const some = places.slice(at, at + batchSize);
    const { rows } = await pool.query<{ key: string }>(
      `update service.evidence_proofs p set used_at = now()
       from unnest($2::text[], $3::text[]) as wanted (block_hash, transaction_hash)
       where p.chain_id = $1 and p.block_hash = wanted.block_hash and p.transaction_hash = wanted.transaction_hash
       returning p.block_hash || ' ' || p.transaction_hash as key`,
      [chainId, some.map(({ blockHash }) => blockHash), some.map(({ transactionHash }) => transactionHash)],
    );
    for (const { key } of rows) found.add(key);
  }
  return found;
}

/** Stores the proofs of a block. Several processes may do so at once. */
export async function storeProved(
  pool: pg.Pool,
  chainId: number,
  { block, transactions }: ProvedBlock,
): Promise<void> {
  await pool.query(
    `insert into service.evidence_proofs (chain_id, block_hash, transaction_hash, block, transaction_index, entry)
     select $1, $2, wanted.hash, $3, wanted.index, wanted.entry
     from unnest($4::text[], $5::int[], $6::text[]) as wanted (hash, index, entry) on conflict do nothing`,
    [
      ...[chainId, block.hash, JSON.stringify(block)],
      transactions.map(({ hash }) => hash),
      transactions.map(({ index }) => index),
      transactions.map((transaction) => JSON.stringify(transaction)),
    ],
  );
}

/** The proofs of some transactions, in no order. */
export async function readProved(
  pool: pg.Pool,
  chainId: number,
  places: readonly { blockHash: Hex; transactionHash: Hex }[],
): Promise<StoredProof[]> {
  const { rows } = await pool.query<StoredProof>(
    `select p.block_hash as "blockHash", p.transaction_hash as "transactionHash", p.block,
       p.transaction_index as "transactionIndex", p.entry
     from service.evidence_proofs p
     join unnest($2::text[], $3::text[]) as wanted (block_hash, transaction_hash)
       on p.block_hash = wanted.block_hash and p.transaction_hash = wanted.transaction_hash
     where p.chain_id = $1`,
    [chainId, places.map(({ blockHash }) => blockHash), places.map(({ transactionHash }) => transactionHash)],
  );
  return rows;
}

/** Deletes proofs that no file has needed for a month, and returns the number of rows. */
export async function forgetProofs(pool: pg.Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from service.evidence_proofs where (chain_id, block_hash, transaction_hash) in (
       select chain_id, block_hash, transaction_hash from service.evidence_proofs
       where used_at <= now() - $1 * interval '1 day' order by used_at limit $2 for update skip locked)`,
    [keptDays, batchSize * 10],
  );
  return rowCount ?? 0;
}

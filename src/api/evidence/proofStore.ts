import type pg from 'pg';
import type { Hex } from 'viem';
import type { RowAs } from '../../platform/database/rowOf.ts';
import type { evidenceProofs } from '../../platform/database/tables/evidence.ts';
import type { EvidenceBlock } from '../../protocol/evidence/evidenceFile.ts';

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

/** A proved transaction that is to be kept. */
export type NewProof = {
  readonly hash: Hex;
  readonly index: number;
  /** As in `StoredProof`. */
  readonly entry: string;
};

/** Whose proofs, and of which chain. */
export type ProofOwner = { readonly principalId: string; readonly chainId: number };

const batchSize = 1_000;
/** What a row counts in its principal's storage. */
export const rowBytes = 'octet_length(block) + octet_length(entry)';

/**
 * The transactions that have been proved for this owner already, by block and transaction, with the bytes of
 * their entries; records the use.
 */
export async function findProved(
  pool: pg.Pool,
  { principalId, chainId }: ProofOwner,
  places: readonly { blockHash: Hex; transactionHash: Hex }[],
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (let at = 0; at < places.length; at += batchSize) {
    const some = places.slice(at, at + batchSize);
    const { rows } = await pool.query<{ key: string; bytes: number }>(
      `update service.evidence_proofs p set used_at = now()
       from unnest($3::text[], $4::text[]) as wanted (block_hash, transaction_hash)
       where p.principal_id = $1 and p.chain_id = $2 and p.block_hash = wanted.block_hash and p.transaction_hash = wanted.transaction_hash
       returning p.block_hash || ' ' || p.transaction_hash as key, octet_length(p.entry) as bytes`,
      [
        ...[principalId, chainId],
        some.map(({ blockHash }) => blockHash),
        some.map(({ transactionHash }) => transactionHash),
      ],
    );
    for (const { key, bytes } of rows) found.set(key, bytes);
  }
  return found;
}

/**
 * Stores the proofs of a block for this owner, and returns the bytes that this adds. Several processes may do so
 * at once.
 */
export async function storeProved(
  pool: pg.Pool,
  { principalId, chainId }: ProofOwner,
  { block, proofs }: { block: EvidenceBlock; proofs: readonly NewProof[] },
): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    `insert into service.evidence_proofs
       (principal_id, chain_id, block_hash, transaction_hash, block, transaction_index, entry)
     select $1, $2, $3, wanted.hash, $4, wanted.index, wanted.entry
     from unnest($5::text[], $6::int[], $7::text[]) as wanted (hash, index, entry) on conflict do nothing
     returning ${rowBytes} as bytes`,
    [
      ...[principalId, chainId, block.hash, JSON.stringify(block)],
      proofs.map(({ hash }) => hash),
      proofs.map(({ index }) => index),
      proofs.map(({ entry }) => entry),
    ],
  );
  return rows.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The owner's proofs of some transactions, in no order. */
export async function readProved(
  pool: pg.Pool,
  { principalId, chainId }: ProofOwner,
  places: readonly { blockHash: Hex; transactionHash: Hex }[],
): Promise<StoredProof[]> {
  const { rows } = await pool.query<StoredProof>(
    `select p.block_hash as "blockHash", p.transaction_hash as "transactionHash", p.block,
       p.transaction_index as "transactionIndex", p.entry
     from service.evidence_proofs p
     join unnest($3::text[], $4::text[]) as wanted (block_hash, transaction_hash)
       on p.block_hash = wanted.block_hash and p.transaction_hash = wanted.transaction_hash
     where p.principal_id = $1 and p.chain_id = $2`,
    [
      ...[principalId, chainId],
      places.map(({ blockHash }) => blockHash),
      places.map(({ transactionHash }) => transactionHash),
    ],
  );
  return rows;
}

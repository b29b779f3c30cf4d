import type pg from 'pg';
import type { Address } from 'viem';

/** Makes the stand-in index show an input that has used up the first permit of a signer. */
export async function showUsedPermit(
  pool: pg.Pool,
  { chainId, agreement, signer }: { chainId: number; agreement: Address; signer: Address },
): Promise<void> {
  await pool.query(
    `insert into chain_index.inputs (chain_id, agreement, position, input_id, from_state, to_state, payload, permit_signer,
       permit_nonce, transaction_hash, transaction_from, transaction_ordinal, log_index, block_number, block_hash,
       block_timestamp)
     values ($1, lower($2), 1, '0x', '0x', '0x', '0x', lower($3), 0, '0x', '0x', 0, 0, 1, '0x', 1)`,
    [chainId, agreement, signer],
  );
}

import type pg from 'pg';
import type { Address } from 'viem';

export type OutboxRows = {
  chainId: number;
  wallet: Address;
  /**
   * The first row's number; `count` rows get consecutive numbers. A row's number determines its signer and
   * nonces.
   */
  from: number;
  count: number;
  state: 'accepted' | 'signed' | 'final';
  /** The number of agreements that the inputs belong to; 500 by default. */
  agreements?: number;
  firstAgreement?: number;
  principalId?: string;
};

const contractOf = (number: string) => `'0x' || lpad(to_hex(${number}), 40, '0')`;
const contract = contractOf('n % 500');
const signer = `'0x' || lpad(to_hex(7000000 + n % 500), 40, '0')`;
const hash = (salt: string) => `'0x' || md5('${salt}' || n) || md5(n || '${salt}')`;

/** Inserts outbox rows for inputs of agreements, with their signed transactions. */
export async function seedOutbox(pool: pg.Pool, rows: OutboxRows): Promise<void> {
  const {
    chainId,
    wallet,
    from,
    count,
    state,
    agreements = 500,
    firstAgreement = 0,
    principalId = null,
  } = rows;
  const isSigned = state !== 'accepted';
  await pool.query(
    `insert into service.transactions (id, chain_id, kind, contract, signer, permit_nonce, permit_digest, content_hash, deadline,
      call_data, gas_estimate, state, wallet, wallet_nonce, tx_hash, mined_block_number, created_at, updated_at, principal_id)
    select 'txn_' || lpad(n::text, 8, '0'), $1, 'input', ${contractOf('$9::int + n % $7::int')}, ${signer}, n / 500, ${hash('digest')}, ${hash('content')},
      4000000000, ${hash('call')}, 100000, $4, $5, case when $6::boolean then n end,
      case when $6::boolean then ${hash('tx')} end, case when $4 = 'final' then n / 100 end,
      now() - interval '1 day' + n * interval '1 millisecond', now(), $8
    from generate_series($2::int, $2::int + $3::int - 1) as n`,
    [
      chainId,
      from,
      count,
      state,
      isSigned ? wallet : null,
      isSigned,
      agreements,
      principalId,
      firstAgreement,
    ],
  );
  if (!isSigned) return;
  await pool.query(
    `insert into service.transaction_attempts (transaction_id, chain_id, wallet, wallet_nonce, tx_hash, raw_transaction, gas,
      max_fee_per_gas, max_priority_fee_per_gas)
    select 'txn_' || lpad(n::text, 8, '0'), $1, $4, n, ${hash('tx')}, '0x', 100000, 10, 1
    from generate_series($2::int, $2::int + $3::int - 1) as n`,
    [chainId, from, count, wallet],
  );
}

/** Makes the index show the effects of rows, and counts their nonces as used. */
export async function seedEffects(
  pool: pg.Pool,
  { chainId, from, count }: { chainId: number; from: number; count: number },
): Promise<void> {
  await pool.query(
    `insert into chain_index.inputs (chain_id, agreement, position, input_id, from_state, to_state, payload, permit_signer,
      permit_nonce, transaction_hash, transaction_from, transaction_ordinal, log_index, block_number, block_hash, block_timestamp)
    select $1, ${contract}, n / 500, '0x', '0x', '0x', '0x', ${signer}, n / 500, ${hash('tx')}, '0x', 0, 0, n / 100, '0x', 1
    from generate_series($2::int, $2::int + $3::int - 1) as n`,
    [chainId, from, count],
  );
  await pool.query('delete from chain_index.permit_counts');
  await pool.query(
    `insert into chain_index.permit_counts (chain_id, contract, signer, count)
    select chain_id, agreement, permit_signer, max(permit_nonce) + 1 from chain_index.inputs group by 1, 2, 3`,
  );
}

export function seededHash(pool: pg.Pool, number: number): Promise<`0x${string}`> {
  return pool
    .query<{ hash: `0x${string}` }>(`select ${hash('tx')} as hash from (select $1::int as n) as it`, [number])
    .then(({ rows: [row] }) => row?.hash ?? '0x');
}

/** The agreement and the signer of the rows whose number is a multiple of 500. */
export async function seededAgreement(pool: pg.Pool): Promise<{ contract: Address; signer: Address }> {
  const { rows } = await pool.query<{ contract: Address; signer: Address }>(
    `select ${contract} as contract, ${signer} as signer from (select 0 as n) as it`,
  );
  const [row] = rows;
  if (!row) throw new Error('no row');
  return row;
}

/** Makes the index show that agreement in its newest block, after many folded blocks. */
export async function showAgreement(
  pool: pg.Pool,
  { chainId, folded }: { chainId: number; folded: number },
): Promise<void> {
  const block = `'0x' || md5('block' || n)`;
  await pool.query(
    `insert into service.folded_blocks (chain_id, number, hash, timestamp)
    select $1, n, ${block}, to_timestamp(n) from generate_series(1, $2::int) as n`,
    [chainId, folded],
  );
  for (const table of ['blocks', 'heads'])
    await pool.query(
      `insert into chain_index.${table} (chain_id, number, hash, timestamp)
      select $1, n, ${block}, n from (select $2::int as n) as newest`,
      [chainId, folded],
    );
  await pool.query(
    `insert into chain_index.agreements (chain_id, address, factory, owner, doc_uri, doc_hash, current_state, input_count,
      transition_count, verifier_count, action_count, transaction_hash, transaction_from, log_index, block_number, block_hash,
      block_timestamp, updated_block_number, updated_block_timestamp)
    select $1, ${contract}, '0x', '0x', '', '0x', '0x', 0, 0, 0, 0, '0x', '0x', 0, 1, '0x', 1, $2::int, $2::int
    from (select 0 as n) as it`,
    [chainId, folded],
  );
}

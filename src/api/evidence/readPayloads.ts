import type pg from 'pg';
import type { Hex } from 'viem';
import { isIndexAbsent } from '../../platform/database/indexAbsence.ts';
import type { indexedInputs } from '../../platform/database/indexView.ts';
import type { RowAs } from '../../platform/database/rowOf.ts';
import type { EvidenceSource } from './evidenceSource.ts';
import type { EvidenceRecord, IndexedStep } from './evidenceSubject.ts';
import { BlockGoneError } from './proveBlock.ts';
import { readBatched } from './readBatched.ts';

type Row = RowAs<typeof indexedInputs, { payload: 'payload'; transactionHash: 'transaction_hash' }>;

const query = `select payload, transaction_hash as "transactionHash" from chain_index.inputs
  where chain_id = $1 and agreement = $2 and position > $3 order by position limit $4`;

/**
 * The payloads of an agreement's steps, in order. They are never held together: a history may have hundreds of
 * megabytes of them.
 *
 * @throws BlockGoneError if the index no longer shows the same steps.
 */
export function readPayloads(
  { pool, allowance }: EvidenceSource,
  { chainId, address }: Pick<EvidenceRecord, 'chainId' | 'address'>,
  steps: readonly Pick<IndexedStep, 'transactionHash'>[],
): AsyncGenerator<Hex> {
  const read = async (at: number, count: number) => {
    const rows = await readRows(pool, [chainId, address.toLowerCase(), at, count]);
    const isSame = rows.every((row, index) => row.transactionHash === steps[at + index]?.transactionHash);
    if (rows.length < count || !isSame) throw new BlockGoneError();
    return rows.map(({ payload }) => payload);
  };
  return readBatched({ total: steps.length, read, lengthOf: (payload) => payload.length, allowance });
}

async function readRows(pool: pg.Pool, values: readonly (string | number)[]): Promise<Row[]> {
  try {
    return (await pool.query<Row>(query, [...values])).rows;
  } catch (error) {
    if (isIndexAbsent(error)) throw new BlockGoneError();
    throw error;
  }
}

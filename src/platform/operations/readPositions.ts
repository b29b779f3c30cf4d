import type pg from 'pg';
import { indexViewsSchemaName } from '../database/indexNames.ts';
import type { indexedHeads } from '../database/indexView.ts';
import type { RowOf } from '../database/rowOf.ts';
import { readSilences } from './readFacts.ts';

export type ChainPositions = {
  /** The last block of the index, by chain id. */
  readonly indexed: ReadonlyMap<number, number>;
  /** The last block of the records, by chain id. */
  readonly folded: ReadonlyMap<number, number>;
  /** The ids of chains of which no node answers the indexer. */
  readonly silent: ReadonlySet<number>;
};

/** Rejects while the database is away, and before there is an index. */
export async function readPositions(pool: pg.Pool): Promise<ChainPositions> {
  const [indexed, folded, silences] = await Promise.all([
    readBlocks(pool, `select chain_id, number from ${indexViewsSchemaName}.heads`),
    readBlocks(pool, 'select chain_id, head_number as number from service.projections'),
    readSilences(pool),
  ]);
  return { indexed, folded, silent: new Set(silences.keys()) };
}

async function readBlocks(pool: pg.Pool, query: string): Promise<Map<number, number>> {
  const { rows } = await pool.query<RowOf<typeof indexedHeads, 'chain_id' | 'number'>>(query);
  return new Map(rows.map((row) => [row.chain_id, Number(row.number)]));
}

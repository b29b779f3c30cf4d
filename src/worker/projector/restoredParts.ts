import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { indexedInputs } from '../../platform/database/indexView.ts';
import type { NotNull, RowAs, RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf, idsOf, recordsOf } from '../../platform/database/statements.ts';
import type { quarantinedRecords, RestoredPart } from '../../platform/database/tables/quarantine.ts';
import type { History } from './history.ts';

/** The stored form of a part of a history; null if the index does not show its last input any more. */
export async function describePart(
  transaction: Queryable,
  { chainId, history }: { chainId: number; history: History },
): Promise<RestoredPart | null> {
  const { agreement, inputCount, stateBlockNumber, stateTimestamp, lastInput, ...facts } = history;
  const { rows } = await transaction.execute<RowAs<typeof indexedInputs, { blockHash: 'block_hash' }>>(sql`
    select block_hash as "blockHash" from chain_index.inputs
    where chain_id = ${chainId} and agreement = ${agreement} and position = ${inputCount}`);
  const [last] = rows;
  if (!last || !lastInput) return null;
  return {
    ...facts,
    agreement,
    inputCount,
    blockHash: last.blockHash,
    stateBlockNumber: String(stateBlockNumber),
    stateTimestamp: String(stateTimestamp),
    lastInput: { ...lastInput, timestamp: String(lastInput.timestamp) },
  };
}

type Row = RowAs<typeof quarantinedRecords, { id: 'record_id' }> &
  NotNull<RowOf<typeof quarantinedRecords, 'restored'>>;

/**
 * The parts of these records' histories that earlier tries have restored and no reorg has changed, by record id. The
 * hash of a block identifies all inputs before it.
 */
export async function readParts(
  transaction: Queryable,
  { chainId, ids }: { chainId: number; ids: readonly string[] },
): Promise<ReadonlyMap<string, History>> {
  const { rows } = await transaction.execute<Row>(sql`
    select record_id as id, restored from service.quarantined_records
    where record_id = any(${arrayOf(ids)}::text[]) and restored is not null`);
  // Not in SQL: the database cannot look into JSON with NUL, which values may contain.
  const ends = rows.map(({ id, restored: { agreement, inputCount, blockHash } }) => ({
    id,
    agreement,
    position: inputCount,
    block_hash: blockHash,
  }));
  const standing = new Set(
    await idsOf(
      transaction,
      sql`select ended.id from ${recordsOf(ends)} as ended(id text, agreement text, position int, block_hash text)
      join chain_index.inputs shown
        on shown.chain_id = ${chainId} and shown.agreement = ended.agreement and shown.position = ended.position
          and shown.block_hash = ended.block_hash`,
    ),
  );
  return new Map(
    rows.filter(({ id }) => standing.has(id)).map(({ id, restored }) => [id, historyOf(restored)]),
  );
}

function historyOf({
  blockHash: _,
  stateBlockNumber,
  stateTimestamp,
  lastInput,
  ...facts
}: RestoredPart): History {
  return {
    ...facts,
    stateBlockNumber: BigInt(stateBlockNumber),
    stateTimestamp: BigInt(stateTimestamp),
    lastInput: { ...lastInput, timestamp: BigInt(lastInput.timestamp) },
  };
}

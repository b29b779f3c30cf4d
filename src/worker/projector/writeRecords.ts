import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { recordsOf } from '../../platform/database/statements.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { keepWallets } from '../../records/sharing/participantWallets.ts';
import { announcedThrough } from './announcedSince.ts';
import type { DocumentLookup } from './documentCache.ts';
import type { ExtendedRecord } from './extendHistories.ts';
import { secondsOf } from './projectedColumns.ts';

type WrittenRow = RowOf<typeof records, 'id' | 'access_variables'>;

export async function writeRecords(
  transaction: Queryable,
  { records, documents }: { records: readonly ExtendedRecord[]; documents: DocumentLookup },
): Promise<void> {
  if (records.length === 0) return;
  const rows = records.map(({ id, docHash, history, isBehind }) => ({
    id,
    variables: JSON.stringify(history.variables),
    state_hash: history.stateHash,
    state: documents(docHash).nameState(history.stateHash),
    state_block_number: String(history.stateBlockNumber),
    state_timestamp: secondsOf(history.stateTimestamp),
    input_count: history.inputCount,
    transition_count: history.transitionCount,
    last_input_id: history.lastInput?.inputId ?? null,
    last_input_timestamp: history.lastInput ? secondsOf(history.lastInput.timestamp) : null,
    behind: isBehind,
  }));
  const { rows: written } = await transaction.execute<WrittenRow>(sql`
    update service.records record set variables = shown.variables::json, state_hash = shown.state_hash,
      state = shown.state, state_block_number = shown.state_block_number,
      announced_through = greatest(${announcedThrough}, case when not (shown.behind and shown.input_count = 0) then shown.state_block_number end),
      state_updated_at = to_timestamp(shown.state_timestamp), input_count = shown.input_count,
      transition_count = shown.transition_count, last_input_id = shown.last_input_id,
      last_input_at = to_timestamp(shown.last_input_timestamp), behind = shown.behind, updated_at = now()
    from ${recordsOf(rows)} as shown(id text, variables text, state_hash text, state text, state_block_number bigint,
      state_timestamp double precision, input_count int, transition_count int, last_input_id text,
      last_input_timestamp double precision, behind boolean)
    where record.id = shown.id
    returning record.id, record.access_variables`);
  const accessById = new Map(written.map(({ id, access_variables }) => [id, access_variables]));
  await keepWallets(
    transaction,
    records.flatMap(({ id, history: { variables } }) => {
      const accessVariables = accessById.get(id);
      return accessVariables ? [{ id, accessVariables, variables }] : [];
    }),
  );
}

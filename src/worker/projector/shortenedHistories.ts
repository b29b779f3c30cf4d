import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowAs } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { inputs } from '../../platform/database/tables/inputs.ts';
import { createPace } from '../../platform/turns/pace.ts';
import type { DocumentLookup } from './documentCache.ts';
import { continueHistory } from './history.ts';
import { readInputs } from './readIndexedInputs.ts';
import { failFold, RecordFoldError } from './recordFoldError.ts';
import type { FoldedRecord } from './storedHistories.ts';

const inputsAtOnce = 500;
/** In characters; an input with a longer payload is read alone. */
const payloadsAtOnce = 16 * 1024 * 1024;
/** A history that takes longer is not restored. */
const restoreLimitMs = 10_000;

/**
 * Replays records from their beginning to their last remaining input. Values overwritten by an input are
 * stored nowhere, so this goes through the history again, a part at a time.
 */
export async function restoreHistories(
  transaction: Queryable,
  {
    chainId,
    beginnings,
    documents,
  }: {
    chainId: number;
    beginnings: readonly FoldedRecord[];
    documents: DocumentLookup;
  },
): Promise<FoldedRecord[]> {
  const ids = beginnings.map(({ id }) => id);
  const { rows } = await transaction.execute<RowAs<typeof inputs, { id: 'record_id'; left: 'position' }>>(sql`
    select record_id as id, max(position) as left
    from service.inputs where record_id = any(${arrayOf(ids)}::text[])
    group by record_id`);
  const left = new Map(rows.map((row) => [row.id, row.left]));
  const restored: FoldedRecord[] = [];
  for (const beginning of beginnings) {
    const inputCount = left.get(beginning.id) ?? 0;
    restored.push(await restoreHistory(transaction, { chainId, beginning, inputCount, documents }));
  }
  return restored;
}

async function restoreHistory(
  transaction: Queryable,
  {
    chainId,
    beginning,
    inputCount,
    documents,
  }: {
    chainId: number;
    beginning: FoldedRecord;
    inputCount: number;
    documents: DocumentLookup;
  },
): Promise<FoldedRecord> {
  const { id, principalId, docHash } = beginning;
  const document = documents(docHash);
  let { history } = beginning;
  const pace = createPace();
  const reader = await document.prepare(pace).catch((cause) => failFold(id, cause));
  while (history.inputCount < inputCount) {
    const wanted = [{ id, agreement: history.agreement, after: history.inputCount }];
    const where = sql`position <= ${inputCount}`;
    const limits = { limit: inputsAtOnce, payloads: payloadsAtOnce };
    const { inputs, next } = await readInputs(transaction, { chainId, wanted, where, ...limits });
    const rows = inputs.length === 0 && next ? [next] : inputs;
    if (rows.length === 0) throw new Error(`The index lacks inputs that were folded into ${id}.`);
    for (const { input } of rows) {
      ({ history } = continueHistory(history, input, { document, reader }));
      await pace.breathe();
    }
    if (pace.spentMs() > restoreLimitMs) {
      throw new RecordFoldError(id, `The history takes longer than ${restoreLimitMs} ms to be restored.`);
    }
  }
  return { id, principalId, docHash, history };
}

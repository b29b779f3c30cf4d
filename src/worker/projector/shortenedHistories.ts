import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowAs } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { inputs } from '../../platform/database/tables/inputs.ts';
import { createPace } from '../../platform/turns/pace.ts';
import type { DocumentLookup } from './documentCache.ts';
import { continueHistory, type History } from './history.ts';
import type { AuthoredDocument } from './projectedDocument.ts';
import { readInputs } from './readIndexedInputs.ts';
import { failFold } from './recordFoldError.ts';
import type { FoldedRecord } from './storedHistories.ts';

const inputsAtOnce = 500;
/** In characters; an input with a longer payload is read alone. */
const payloadsAtOnce = 16 * 1024 * 1024;

/** The time that the histories of one fold may still take to be restored; each takes half of it at most. */
export type RestoreTime = { leftMs: number };

/** A history that was not restored. Its record keeps what it has lost until it is tried again. */
export type UnrestoredHistory = { recordId: string; error: string };

/**
 * Replays records from their beginning to their last remaining input. Values overwritten by an input are
 * stored nowhere, so this goes through the history again, a part at a time. The shortest come first, so that a
 * long history keeps no shorter one waiting.
 */
export async function restoreHistories(
  transaction: Queryable,
  {
    chainId,
    beginnings,
    documents,
    time,
  }: {
    chainId: number;
    beginnings: readonly FoldedRecord[];
    documents: DocumentLookup;
    time: RestoreTime;
  },
): Promise<{ restored: FoldedRecord[]; unrestored: UnrestoredHistory[] }> {
  const restored: FoldedRecord[] = [];
  const unrestored: UnrestoredHistory[] = [];
  if (beginnings.length === 0) return { restored, unrestored };
  const ids = beginnings.map(({ id }) => id);
  const { rows } = await transaction.execute<RowAs<typeof inputs, { id: 'record_id'; left: 'position' }>>(sql`
    select record_id as id, max(position) as left
    from service.inputs where record_id = any(${arrayOf(ids)}::text[])
    group by record_id`);
  const left = new Map(rows.map((row) => [row.id, row.left]));
  const tasks = beginnings
    .map((beginning) => ({ beginning, inputCount: left.get(beginning.id) ?? 0 }))
    .sort((one, other) => one.inputCount - other.inputCount);
  for (const { beginning, inputCount } of tasks) {
    const document = documents(beginning.docHash);
    const history = await restoreHistory(transaction, { chainId, beginning, inputCount, document, time });
    if (history) restored.push({ ...beginning, history });
    else unrestored.push({ recordId: beginning.id, error: tooLong });
  }
  return { restored, unrestored };
}

const tooLong = 'The histories that inputs fell out of take too long together to be restored in one fold.';

/** Returns `undefined` if the time ends before the history does. */
async function restoreHistory(
  transaction: Queryable,
  {
    chainId,
    beginning: { id, history: beginning },
    inputCount,
    document,
    time,
  }: {
    chainId: number;
    beginning: FoldedRecord;
    inputCount: number;
    document: AuthoredDocument;
    time: RestoreTime;
  },
): Promise<History | undefined> {
  if (inputCount === 0) return beginning;
  if (time.leftMs <= 0) return undefined;
  const pace = createPace();
  let history = beginning;
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
    if (pace.spentMs() >= time.leftMs / 2) break;
  }
  time.leftMs -= pace.spentMs();
  return history.inputCount === inputCount ? history : undefined;
}

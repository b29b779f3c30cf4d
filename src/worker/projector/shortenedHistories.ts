import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowAs } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { inputs } from '../../platform/database/tables/inputs.ts';
import type { RestoredPart } from '../../platform/database/tables/quarantine.ts';
import { createPace } from '../../platform/turns/pace.ts';
import type { DocumentLookup } from './documentCache.ts';
import { continueHistory, type History } from './history.ts';
import type { AuthoredDocument } from './projectedDocument.ts';
import { readInputs } from './readIndexedInputs.ts';
import { failFold } from './recordFoldError.ts';
import { describePart, readParts } from './restoredParts.ts';
import type { FoldedRecord } from './storedHistories.ts';

const inputsAtOnce = 500;
/** In characters; an input with a longer payload is read alone. */
const payloadsAtOnce = 16 * 1024 * 1024;

/** The time left in one fold for restoring histories; each history takes about half of it at most. */
export type RestoreTime = { leftMs: number };

/**
 * A history that was not fully restored. Its record still shows lost inputs. The next try continues after the restored
 * part.
 */
export type UnrestoredHistory = { recordId: string; error: string; part: RestoredPart | null };

/**
 * Replays records from their beginning to their last remaining input. Values overwritten by an input are stored
 * nowhere, so the history is replayed, a part at a time, after the part that an earlier try has restored. The shortest
 * histories come first, so that none waits for a longer one.
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
  const parts = await readParts(transaction, { chainId, ids });
  const tasks = beginnings
    .map((beginning) => {
      const inputCount = left.get(beginning.id) ?? 0;
      const part = parts.get(beginning.id);
      const from = part && part.inputCount <= inputCount ? part : beginning.history;
      return { beginning, inputCount, from };
    })
    .sort((one, other) => one.inputCount - other.inputCount);
  for (const { beginning, inputCount, from } of tasks) {
    const { id, docHash } = beginning;
    const document = documents(docHash);
    const history = await restoreHistory(transaction, { chainId, id, from, inputCount, document, time });
    if (history.inputCount === inputCount) restored.push({ ...beginning, history });
    else {
      const isFurther = history.inputCount > from.inputCount;
      const part = isFurther ? await describePart(transaction, { chainId, history }) : null;
      unrestored.push({ recordId: id, error: tooLong, part });
    }
  }
  return { restored, unrestored };
}

const tooLong = 'The histories that a reorg has shortened take too long together to be restored in one fold.';

/** Returns the history as far as the time allows, to input number `inputCount` at most. */
async function restoreHistory(
  transaction: Queryable,
  {
    chainId,
    id,
    from,
    inputCount,
    document,
    time,
  }: {
    chainId: number;
    id: string;
    from: History;
    inputCount: number;
    document: AuthoredDocument;
    time: RestoreTime;
  },
): Promise<History> {
  if (inputCount === from.inputCount || time.leftMs <= 0) return from;
  const pace = createPace();
  let history = from;
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
  return history;
}

import { sql } from 'drizzle-orm';
import type { Queryable } from '../database/database.ts';
import { arrayOf } from '../database/statements.ts';
import type { DocumentLookup } from './documentCache.ts';
import { continueHistory } from './history.ts';
import { readInputs } from './readInputs.ts';
import type { FoldedRecord } from './storedHistories.ts';

const inputsAtOnce = 500;

/**
 * Brings records from their beginning to the last input that is left to them. What an input has overwritten is stored nowhere,
 * so it is found by going through the history again, a part at a time.
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
  const { rows } = await transaction.execute<{ id: string; left: number }>(sql`
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
  const { id, docHash } = beginning;
  const document = documents(docHash);
  let { history } = beginning;
  while (history.inputCount < inputCount) {
    const wanted = [{ id, agreement: history.agreement, after: history.inputCount }];
    const where = sql`position <= ${inputCount}`;
    const rows = await readInputs(transaction, { chainId, wanted, where, limit: inputsAtOnce });
    if (rows.length === 0) throw new Error(`The index lacks inputs that were folded into ${id}.`);
    for (const { input } of rows) ({ history } = continueHistory(history, input, document));
  }
  return { id, docHash, history };
}

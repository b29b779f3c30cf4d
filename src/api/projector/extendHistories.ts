import { sql } from 'drizzle-orm';
import type { Queryable } from '../database/database.ts';
import type { DocumentLookup } from './documentCache.ts';
import { continueHistory, type IndexedInput, type MinedInput } from './history.ts';
import { readInputs } from './readInputs.ts';
import type { FoldedRecord } from './storedHistories.ts';

/** At most about so many inputs are folded at once; a record that has more is behind for a while. */
const inputLimit = 2_000;

export type ExtendedRecord = FoldedRecord & { mined: MinedInput[]; isBehind: boolean };

type Extension = {
  chainId: number;
  records: readonly FoldedRecord[];
  through: bigint;
  documents: DocumentLookup;
};

/**
 * Folds the inputs of the blocks up to `through` that the records lack. Of a block all inputs are folded or none, so that each
 * record stays what its agreement was at the end of some block; the first record always gets on.
 */
export async function extendHistories(
  transaction: Queryable,
  extension: Extension,
): Promise<ExtendedRecord[]> {
  const { records, documents } = extension;
  const { inputs, behind } = await readWholeBlocks(transaction, extension);
  return records.map(({ id, docHash, history: stored }) => {
    const document = documents(docHash);
    let history = stored;
    const mined = (inputs.get(id) ?? []).map(({ input }) => {
      const next = continueHistory(history, input, document);
      history = next.history;
      return next.mined;
    });
    return { id, docHash, history, mined, isBehind: behind.has(id) };
  });
}

type RecordInput = { recordId: string; input: IndexedInput };

const byRecord = ({ recordId }: RecordInput) => recordId;

async function readWholeBlocks(
  transaction: Queryable,
  { chainId, records, through }: Extension,
): Promise<{ inputs: Map<string, RecordInput[]>; behind: Set<string> }> {
  const wanted = records.map(({ id, history }) => ({
    id,
    agreement: history.agreement,
    after: history.inputCount,
  }));
  const where = sql`block_number <= ${through}`;
  const rows = await readInputs(transaction, { chainId, wanted, where, limit: inputLimit + 1 });
  const cut = rows.length > inputLimit ? rows.at(-1) : undefined;
  if (!cut) return { inputs: Map.groupBy(rows, byRecord), behind: new Set() };

  const cutAt = wanted.findIndex(({ id }) => id === cut.recordId);
  const behind = new Set(wanted.slice(cutAt).map(({ id }) => id));
  const { blockNumber } = cut.input;
  const whole = rows.filter(
    ({ recordId, input }) => recordId !== cut.recordId || input.blockNumber < blockNumber,
  );
  if (whole.length > 0) return { inputs: Map.groupBy(whole, byRecord), behind };

  // The very first block is larger than the limit.
  const block = await readInputs(transaction, {
    chainId,
    wanted: wanted.slice(cutAt, cutAt + 1),
    where: sql`block_number = ${blockNumber}`,
    limit: Number.MAX_SAFE_INTEGER,
  });
  return { inputs: Map.groupBy(block, byRecord), behind };
}

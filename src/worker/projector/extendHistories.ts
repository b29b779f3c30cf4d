import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { createPace, type Pace } from '../../platform/turns/pace.ts';
import type { DocumentLookup } from './documentCache.ts';
import { continueHistory, type History, type IndexedInput, type MinedInput } from './history.ts';
import type { AuthoredDocument } from './projectedDocument.ts';
import { readInputs } from './readIndexedInputs.ts';
import { failFold, RecordFoldError } from './recordFoldError.ts';
import type { FoldedRecord } from './storedHistories.ts';

/** At most about this many inputs are folded at once; a record with more catches up in later folds. */
const inputLimit = 2_000;
/**
 * Computing time of one fold before the rest must wait for the next fold; also the limit for one block of one
 * record.
 */
const foldTimeMs = 500;
const blockLimitMs = 5_000;
/** The most values of variables held at once for one record. */
const mostValues = 1_000_000;

export type ExtendedRecord = FoldedRecord & { mined: MinedInput[]; isBehind: boolean };

type Extension = {
  chainId: number;
  records: readonly FoldedRecord[];
  through: bigint;
  documents: DocumentLookup;
};

/**
 * Folds the inputs of the blocks up to `through` that the records lack. All inputs of a block are folded or
 * none, so that each record stays at the end of some block. Inputs that do not fit into the time of one fold
 * wait for the next one; the first record always advances.
 *
 * @throws RecordFoldError for a record that cannot get on, or not in time.
 */
export async function extendHistories(
  transaction: Queryable,
  extension: Extension,
): Promise<ExtendedRecord[]> {
  const { records, documents } = extension;
  const { inputs, behind } = await readWholeBlocks(transaction, extension);
  const extended: ExtendedRecord[] = [];
  let leftMs = foldTimeMs;
  for (const record of records) {
    const lacking = inputs.get(record.id) ?? [];
    const isLeftOut = leftMs <= 0 && lacking.length > 0 && extended.some(({ mined }) => mined.length > 0);
    const pace = createPace();
    const turn = { pace, timeMs: leftMs, document: documents(record.docHash) };
    const { history, mined } = isLeftOut
      ? { ...record, mined: [] }
      : await extendHistory(record, lacking, turn).catch((cause) => failFold(record.id, cause));
    leftMs -= pace.spentMs();
    extended.push({
      ...record,
      history,
      mined,
      isBehind: behind.has(record.id) || mined.length < lacking.length,
    });
  }
  return extended;
}

type Turn = { pace: Pace; timeMs: number; document: AuthoredDocument };

/** One record, by as many whole blocks as time and room allow, at least one. */
async function extendHistory(
  { id, history: stored }: FoldedRecord,
  lacking: readonly RecordInput[],
  { pace, timeMs, document }: Turn,
): Promise<{ history: History; mined: MinedInput[] }> {
  const mined: MinedInput[] = [];
  if (lacking.length === 0) return { history: stored, mined };
  const reader = await document.prepare(pace);
  // Each input keeps its values until it is written.
  const mostInputs = Math.max(1, mostValues / (1 + Object.keys(stored.variables).length));
  let history = stored;
  for (const { input } of lacking) {
    const isNextBlock = mined.length > 0 && input.blockNumber > history.stateBlockNumber;
    if (isNextBlock && (pace.spentMs() > timeMs || mined.length >= mostInputs)) break;
    if (pace.spentMs() > blockLimitMs) {
      throw new RecordFoldError(id, `Its inputs of one block take longer than ${blockLimitMs} ms.`);
    }
    const next = continueHistory(history, input, { document, reader });
    history = next.history;
    mined.push(next.mined);
    await pace.breathe();
  }
  return { history, mined };
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

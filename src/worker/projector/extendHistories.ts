import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { createPace, type Pace } from '../../platform/turns/pace.ts';
import type { DocumentLookup } from './documentCache.ts';
import { continueHistory, type History, type MinedInput, sizeOfInput } from './history.ts';
import type { AuthoredDocument } from './projectedDocument.ts';
import { type RecordInput, readInputs } from './readIndexedInputs.ts';
import { failFold, RecordFoldError } from './recordFoldError.ts';
import type { FoldedRecord } from './storedHistories.ts';
import { readTransitionWeights } from './transitionWeights.ts';

/** At most about this many inputs are folded at once; a record with more catches up in later folds. */
const inputLimit = 2_000;
/**
 * At most about this many characters of payloads are folded at once, and about as many again of values read
 * from them. Then the limit for one block of one record.
 */
const textLimit = 16 * 1024 * 1024;
const blockTextLimit = 64 * 1024 * 1024;
/**
 * Computing time of one fold, after which the rest waits for the next fold. Then the limit for one block of one
 * record.
 */
const foldTimeMs = 500;
const blockLimitMs = 5_000;
/** At most about this many rows of notifications and schedules are caused by one fold. */
const firingLimit = 2_000;
/**
 * The limit for one record's inputs in one block, which are folded together. Beyond it rules do not fire, because
 * anybody who may move an agreement can fill a block with inputs.
 */
const blockFiringLimit = 20_000;
/** The most values of variables held at once for one record. */
const mostValues = 1_000_000;

export type ExtendedRecord = FoldedRecord & {
  mined: MinedInput[];
  isBehind: boolean;
  /** Positions of inputs for which no rule fires. */
  silent: ReadonlySet<number>;
};

type Extension = {
  chainId: number;
  records: readonly FoldedRecord[];
  through: bigint;
  documents: DocumentLookup;
};

/**
 * Folds the inputs of the blocks up to `through` that the records lack. All inputs of a block are folded or
 * none, so that each record stays at the end of some block. Inputs that do not fit into one fold, by their time or by
 * what they cause, wait for the next one; the first record always advances.
 *
 * @throws RecordFoldError for a record that cannot be continued, or not in time.
 */
export async function extendHistories(
  transaction: Queryable,
  extension: Extension,
): Promise<ExtendedRecord[]> {
  const { records, documents } = extension;
  const { inputs, behind } = await readWholeBlocks(transaction, extension);
  const weights = await readTransitionWeights(transaction, [...inputs.keys()]);
  const extended: ExtendedRecord[] = [];
  let leftFirings = firingLimit;
  let leftMs = foldTimeMs;
  let leftText = 2 * textLimit;
  for (const record of records) {
    const lacking = inputs.get(record.id) ?? [];
    const weigh = weights(record.id);
    // A record without rules causes no notifications, so their limit does not hold it back.
    const isSpent = leftMs <= 0 || leftText <= 0 || (leftFirings <= 0 && weigh !== undefined);
    const isLeftOut = isSpent && lacking.length > 0 && extended.some(({ mined }) => mined.length > 0);
    const pace = createPace();
    const turn = {
      pace,
      timeMs: leftMs,
      text: leftText,
      firings: weigh ? leftFirings : Number.POSITIVE_INFINITY,
      document: documents(record.docHash),
      weigh: weigh ?? (() => 0),
    };
    const { history, mined, silent, firings } = isLeftOut
      ? { ...record, mined: [], silent: new Set<number>(), firings: 0 }
      : await extendHistory(record, lacking, turn).catch((cause) => failFold(record.id, cause));
    leftMs -= pace.spentMs();
    leftFirings -= firings;
    for (const input of mined) leftText -= sizeOfInput(input);
    extended.push({
      ...record,
      history,
      mined,
      silent,
      isBehind: behind.has(record.id) || mined.length < lacking.length,
    });
  }
  return extended;
}

type Turn = {
  pace: Pace;
  timeMs: number;
  text: number;
  firings: number;
  document: AuthoredDocument;
  weigh(input: MinedInput): number;
};

/** One record, by as many whole blocks as time and room allow, at least one. */
async function extendHistory(
  { id, history: stored }: FoldedRecord,
  lacking: readonly RecordInput[],
  { pace, timeMs, text, firings: mostFirings, document, weigh }: Turn,
): Promise<{ history: History; mined: MinedInput[]; silent: Set<number>; firings: number }> {
  const mined: MinedInput[] = [];
  const silent = new Set<number>();
  if (lacking.length === 0) return { history: stored, mined, silent, firings: 0 };
  const reader = await document.prepare(pace);
  // Each input keeps its values until it is written.
  const mostInputs = Math.max(1, mostValues / (1 + Object.keys(stored.variables).length));
  let history = stored;
  let size = 0;
  let sizeOfBlock = 0;
  let firings = 0;
  let firingsOfBlock = 0;
  for (const { input } of lacking) {
    const isNextBlock = mined.length > 0 && input.blockNumber > history.stateBlockNumber;
    const isFull = size >= text || firings >= mostFirings || mined.length >= mostInputs;
    if (isNextBlock && (isFull || pace.spentMs() > timeMs)) break;
    if (isNextBlock) [sizeOfBlock, firingsOfBlock] = [0, 0];
    if (pace.spentMs() > blockLimitMs) {
      throw new RecordFoldError(
        id,
        `The record’s inputs in one block take longer than ${blockLimitMs} ms to fold.`,
      );
    }
    const next = continueHistory(history, input, { document, reader });
    history = next.history;
    mined.push(next.mined);
    size += sizeOfInput(next.mined);
    sizeOfBlock += sizeOfInput(next.mined);
    if (sizeOfBlock > 2 * blockTextLimit) {
      throw new RecordFoldError(id, tooLong(2 * blockTextLimit));
    }
    const weight = weigh(next.mined);
    firingsOfBlock += weight;
    if (firingsOfBlock > blockFiringLimit) silent.add(next.mined.position);
    else firings += weight;
    await pace.breathe();
  }
  return { history, mined, silent, firings };
}

function tooLong(limit: number): string {
  return `The record’s inputs in one block have more than ${limit} characters.`;
}

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
  const limits = { limit: inputLimit, payloads: textLimit };
  const { inputs, next } = await readInputs(transaction, { chainId, wanted, where, ...limits });
  if (!next) return { inputs: Map.groupBy(inputs, byRecord), behind: new Set() };

  const { recordId: cutId } = next;
  const cutAt = wanted.findIndex(({ id }) => id === cutId);
  const behind = new Set(wanted.slice(cutAt).map(({ id }) => id));
  const { blockNumber } = next.input;
  const whole = inputs.filter(({ recordId, input }) => recordId !== cutId || input.blockNumber < blockNumber);
  if (whole.length > 0) return { inputs: Map.groupBy(whole, byRecord), behind };

  // The very first block is larger than the limits.
  const block = await readInputs(transaction, {
    chainId,
    wanted: wanted.slice(cutAt, cutAt + 1),
    where: sql`block_number = ${blockNumber}`,
    limit: Number.MAX_SAFE_INTEGER,
    payloads: blockTextLimit,
  });
  if (block.next) {
    throw new RecordFoldError(cutId, tooLong(blockTextLimit));
  }
  return { inputs: Map.groupBy(block.inputs, byRecord), behind };
}

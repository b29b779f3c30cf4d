import { createPace } from '../../platform/turns/pace.ts';
import type { CollectedEvidence } from './collectedEvidence.ts';
import type { EvidenceSource } from './evidenceSource.ts';
import {
  writeBlock,
  writeDeployment,
  writeEnd,
  writeHead,
  writeInput,
  writeTransaction,
} from './evidenceText.ts';
import { readInOrder } from './readInOrder.ts';
import { readPayloads } from './readPayloads.ts';

/** The approximate size of a piece. */
const chunkCharacters = 65_536;

/** Writes a file piece by piece, holding only a few transactions and payloads at a time. */
export async function* writeEvidence(
  collected: CollectedEvidence,
  source: EvidenceSource,
): AsyncGenerator<string> {
  const pace = createPace(source);
  let pending = '';
  for await (const piece of listPieces(collected, source)) {
    pending += piece;
    if (pending.length >= chunkCharacters) {
      yield pending;
      pending = '';
    }
    await pace.breathe();
  }
  yield pending;
}

async function* listPieces(collected: CollectedEvidence, source: EvidenceSource): AsyncGenerator<string> {
  const { record, history, blocks, transactions } = collected;
  yield writeHead(collected, source.publicBaseUrl);
  for (const [at, block] of blocks.entries()) yield writeBlock(at, block);
  let index = 0;
  for await (const { entry } of readInOrder(source, record, transactions)) {
    yield writeTransaction(index, { block: transactions[index]?.block ?? 0, entry });
    index++;
  }
  yield writeDeployment(collected.deployment);
  let at = 0;
  for await (const payload of readPayloads(source, record, history.steps)) {
    const [indexed, step] = [history.steps[at], collected.steps[at]];
    if (!indexed || !step) throw new Error('a history has other steps than its index');
    yield writeInput(at, { record, indexed, step, payload });
    at++;
  }
  yield writeEnd(collected.state);
}

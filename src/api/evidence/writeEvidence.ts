import { createPace } from '../../platform/turns/pace.ts';
import {
  type EvidenceFile,
  type EvidenceInput,
  evidenceFormat,
  lowerHex,
} from '../../protocol/evidence/evidenceFile.ts';
import { buildInputMessage } from '../../protocol/evidence/evidenceTypedData.ts';
import type { CollectedEvidence } from './collectEvidence.ts';
import type { EvidenceSource } from './evidenceSource.ts';
import { addMessage } from './findPermit.ts';
import { readInOrder } from './readInOrder.ts';
import { readPayloads } from './readPayloads.ts';

export type EvidenceMaker = { readonly publicBaseUrl: string; readonly source: EvidenceSource };

export const evidenceSoftware = 'agreements-service';

/** The approximate size of a piece. */
const chunkCharacters = 65_536;

/** Writes a file piece by piece, holding only a few transactions and payloads at a time. */
export async function* writeEvidence(
  collected: CollectedEvidence,
  { publicBaseUrl, source }: EvidenceMaker,
): AsyncGenerator<string> {
  const pace = createPace({ isPatient: true });
  let pending = '';
  for await (const piece of listPieces(collected, { publicBaseUrl, source })) {
    pending += piece;
    if (pending.length >= chunkCharacters) {
      yield pending;
      pending = '';
    }
    await pace.breathe();
  }
  yield pending;
}

async function* listPieces(
  collected: CollectedEvidence,
  { publicBaseUrl, source }: EvidenceMaker,
): AsyncGenerator<string> {
  const { record, history, blocks, transactions, state, notes } = collected;
  const { chainId, docUri, docHash, document: text } = record;
  const agreement = lowerHex(record.address);
  const { factory, owner, initialState, currentState, steps } = history;
  const head: Omit<EvidenceFile, 'blocks' | 'transactions' | 'deployment' | 'inputs' | 'state'> = {
    format: evidenceFormat,
    made: { at: new Date().toISOString(), by: publicBaseUrl, software: evidenceSoftware },
    chain: { chainId, factory, implementation: collected.implementation },
    agreement: {
      ...{ address: agreement, owner, docUri, docHash: lowerHex(docHash) },
      ...{ initialState, currentState, inputCount: steps.length },
    },
    document: { text, values: collected.values },
    notes,
  };
  yield `${JSON.stringify(head).slice(0, -1)},"blocks":[`;
  for (const [at, block] of blocks.entries()) yield at === 0 ? block : `,${block}`;
  yield '],"transactions":[';
  let at = 0;
  for await (const { entry } of readInOrder(source, record, transactions)) {
    const block = transactions[at]?.block;
    yield `${at === 0 ? '' : ','}{"block":${block},${entry.slice(1)}`;
    at++;
  }
  yield `],"deployment":${JSON.stringify(collected.deployment)},"inputs":[`;
  let index = 0;
  for await (const payload of readPayloads(source, record, steps)) {
    const [indexed, step] = [steps[index], collected.steps[index]];
    if (!indexed || !step) throw new Error('a history has other steps than its index');
    const { inputId, fromState, toState } = indexed;
    const { transaction, log, permit } = step;
    const input: EvidenceInput = {
      ...{ transaction, log, inputId, fromState, toState, payload },
      permit: addMessage(permit, (one) => buildInputMessage(one, { chainId, agreement, inputId, payload })),
    };
    yield `${index === 0 ? '' : ','}${JSON.stringify(input)}`;
    index++;
  }
  yield `],"state":${JSON.stringify(state)}}\n`;
}

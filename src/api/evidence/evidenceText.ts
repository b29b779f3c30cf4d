import {
  type EvidenceDeployment,
  type EvidenceFile,
  type EvidenceInput,
  type EvidenceState,
  evidenceFormat,
  lowerHex,
} from '../../protocol/evidence/evidenceFile.ts';
import { buildInputMessage } from '../../protocol/evidence/evidenceTypedData.ts';
import type { CollectedEvidence, ReadStep } from './collectedEvidence.ts';
import type { EvidenceRecord, IndexedStep } from './evidenceSubject.ts';
import { addMessage } from './findPermit.ts';

/**
 * The parts of a file in its one canonical text: the head, the blocks, the transactions, the deployment, the
 * inputs, the end. Lists need each item's index. Only the head has characters of more than one byte.
 */

export const evidenceSoftware = 'agreements-service';

/** Always the same number of bytes, whatever the time. */
export function writeHead(
  collected: Pick<CollectedEvidence, 'record' | 'history' | 'implementation' | 'values' | 'notes'>,
  publicBaseUrl: string,
): string {
  const { record, history, implementation, values, notes } = collected;
  const { chainId, docUri, docHash, document: text } = record;
  const { factory, owner, initialState, currentState, steps } = history;
  const head: Omit<EvidenceFile, 'blocks' | 'transactions' | 'deployment' | 'inputs' | 'state'> = {
    format: evidenceFormat,
    made: { at: new Date().toISOString(), by: publicBaseUrl, software: evidenceSoftware },
    chain: { chainId, factory, implementation },
    agreement: {
      ...{ address: lowerHex(record.address), owner, docUri, docHash: lowerHex(docHash) },
      ...{ initialState, currentState, inputCount: steps.length },
    },
    document: { text, values },
    notes,
  };
  return `${JSON.stringify(head).slice(0, -1)},"blocks":[`;
}

/** @param block JSON. */
export function writeBlock(at: number, block: string): string {
  return `${comma(at)}${block}`;
}

/** @param entry JSON, as it is stored; @param block index of its block. */
export function writeTransaction(at: number, { block, entry }: { block: number; entry: string }): string {
  return `${at === 0 ? '],"transactions":[' : ','}{"block":${block},${entry.slice(1)}`;
}

export function writeDeployment(deployment: EvidenceDeployment): string {
  return `],"deployment":${JSON.stringify(deployment)},"inputs":[`;
}

export function writeInput(
  at: number,
  {
    record,
    indexed: { inputId, fromState, toState },
    step: { transaction, log, permit },
    payload,
  }: {
    record: Pick<EvidenceRecord, 'chainId' | 'address'>;
    indexed: Pick<IndexedStep, 'inputId' | 'fromState' | 'toState'>;
    step: ReadStep;
    payload: EvidenceInput['payload'];
  },
): string {
  const message = { chainId: record.chainId, agreement: lowerHex(record.address), inputId, payload };
  const input: EvidenceInput = {
    ...{ transaction, log, inputId, fromState, toState, payload },
    permit: addMessage(permit, (one) => buildInputMessage(one, message)),
  };
  return `${comma(at)}${JSON.stringify(input)}`;
}

export function writeEnd(state: EvidenceState | null): string {
  return `],"state":${JSON.stringify(state)}}\n`;
}

function comma(at: number): string {
  return at === 0 ? '' : ',';
}

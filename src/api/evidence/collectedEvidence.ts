import type { Hex } from 'viem';
import type {
  EvidenceDeployment,
  EvidenceNote,
  EvidenceState,
  EvidenceValue,
} from '../../protocol/evidence/evidenceFile.ts';
import type { EvidenceRecord, IndexedHistory } from './evidenceSubject.ts';
import type { PermitSignature } from './findPermit.ts';

/** A step without its payload, also in its permit: the payloads of a history may have hundreds of megabytes. */
export type ReadStep = {
  /** Index into the transactions. */
  readonly transaction: number;
  readonly log: number;
  readonly permit: PermitSignature | null;
};

/** The content of a file. Transactions, payloads and messages of permits are read again during the writing. */
export type CollectedEvidence = {
  readonly record: EvidenceRecord;
  readonly history: IndexedHistory;
  readonly implementation: Hex;
  readonly values: readonly EvidenceValue[];
  readonly notes: readonly EvidenceNote[];
  /** In order, each JSON. */
  readonly blocks: readonly string[];
  /** In order; `block` is an index into `blocks`. */
  readonly transactions: readonly {
    readonly block: number;
    readonly blockHash: Hex;
    readonly transactionHash: Hex;
  }[];
  readonly deployment: EvidenceDeployment;
  readonly steps: readonly ReadStep[];
  readonly state: EvidenceState | null;
  /** Bytes of the file. */
  readonly bytes: number;
};

import { zeroAddress, zeroHash } from 'viem';
import type { CollectedEvidence } from '../../../../src/api/evidence/collectedEvidence.ts';
import type { EvidenceRecord } from '../../../../src/api/evidence/evidenceSubject.ts';

export const chainId = 1;
const place = { transactionHash: zeroHash, blockHash: zeroHash, blockNumber: 1 };

export function buildRecord(id: string, principalId: string): EvidenceRecord {
  return {
    ...{ id, principalId, displayName: id, chainId, address: zeroAddress, document: '{}' },
    ...{ docUri: '', docHash: zeroHash, initialVariables: {} },
  };
}

/** Evidence of an agreement without inputs. */
export function buildCollected(record: EvidenceRecord): CollectedEvidence {
  return {
    record,
    history: {
      ...{ factory: zeroAddress, owner: zeroAddress, initialState: zeroHash, currentState: zeroHash },
      ...{ permitSigner: null, permitNonce: null, deployment: place, steps: [] },
      head: { number: 1, hash: zeroHash },
    },
    implementation: zeroAddress,
    ...{ values: [], notes: [], blocks: [], transactions: [], steps: [], state: null, bytes: 1 },
    deployment: { transaction: 0, log: 0, permit: null },
  };
}

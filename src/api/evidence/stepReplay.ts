import type { Hex } from 'viem';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { lowerHex } from '../../protocol/evidence/evidenceFile.ts';
import { createReplay } from '../../protocol/evidence/evidenceReplay.ts';
import { EvidenceRefusal } from '../../protocol/evidence/refusal.ts';
import type { AgreementParameters } from '../../protocol/onChain.ts';
import type { EvidenceRecord, IndexedHistory, IndexedStep } from './evidenceSubject.ts';

/** The steps of an agreement, replayed by the rules of its document as verifiers do it. */
export type StepReplay = {
  /** The next step. @throws RefusedError `not_provable` if the document does not allow it. */
  play(step: IndexedStep, payload: Hex): void;
  /** The accounts whose nonces are proved, in ascending order. */
  listSigners(): readonly Hex[];
};

/** @throws RefusedError `not_provable` if the document does not allow the deployment. */
export function createStepReplay(
  parameters: AgreementParameters,
  { record, history }: { record: Pick<EvidenceRecord, 'address'>; history: Pick<IndexedHistory, 'owner'> },
): StepReplay {
  const agreement = lowerHex(record.address);
  const replay = allowed(0, () => createReplay(parameters, history.owner));
  let played = 0;
  return {
    play(step, payload) {
      const { inputId, permitSigner: signer, permitNonce: nonce, time } = step;
      const isDirect = step.transactionTo === agreement;
      const input = {
        ...{ inputId, payload, time },
        sender: isDirect ? step.transactionFrom : undefined,
        permit:
          signer && nonce !== null ? { signer, nonce: BigInt(nonce), deadline: BigInt(time) } : undefined,
      };
      allowed(played + 1, () => replay.play(input, `inputs[${played}]`));
      played++;
    },
    listSigners: () => replay.listSigners(),
  };
}

/** @param position of the step; 0 for the deployment. */
function allowed<Result>(position: number, play: () => Result): Result {
  try {
    return play();
  } catch (error) {
    if (!(error instanceof EvidenceRefusal)) throw error;
    throw new RefusedError(
      'not_provable',
      'The document does not allow what the agreement has done: the contract has other rules. No verifier would accept the evidence.',
      { facts: { position, cause: error.message } },
    );
  }
}

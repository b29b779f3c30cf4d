import type { Admission as AdmissionNote } from '../../platform/database/tables/transactions.ts';
import { nameHash } from '../../protocol/index.ts';
import type { AdmissionServices, LocalFacts } from '../admission/createAdmission.ts';
import type { AcceptedPermit } from './acceptPermit.ts';
import type { DeployedRecord } from './deployedRecord.ts';
import type { CompiledInput, InputTarget, SignedInput } from './inputPermit.ts';

/** An input to decide about, as sent to one record. */
export type AdmissionRequest = {
  readonly input: SignedInput & { readonly principalId: string };
  readonly target: DeployedRecord;
  /** Undefined for values without an encoding. */
  readonly compiled: CompiledInput | undefined;
};

/** An input that the contract would accept after the open ones. */
export type AdmittedInput = AcceptedPermit & {
  readonly compiled: CompiledInput;
  readonly gasKind: string | null;
  readonly note: AdmissionNote;
};

/**
 * The view from index and outbox; undefined if a node must decide.
 *
 * @param request.isAfterOwn whether only the sender's own open inputs come before it; otherwise everybody's do.
 */
export async function lookAtInput(
  {
    input,
    target,
    compiled,
    isAfterOwn,
  }: Omit<AdmissionRequest, 'target'> & { target: InputTarget; isAfterOwn?: boolean },
  { admission }: AdmissionServices,
): Promise<LocalFacts | undefined> {
  return admission.look({
    chainId: target.chainId,
    contract: target.address,
    signer: input.signer,
    inputHash: nameHash(input.inputId),
    payload: compiled?.payload,
    callData: compiled?.call.callData,
    asker: input.principalId,
    ...(isAfterOwn && { isAfterOwn }),
  });
}

import type { Admission as AdmissionNote } from '../../platform/database/tables/transactions.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { listActionErrors } from '../../platform/nodes/decodeRevert.ts';
import { type PermitFacts, readPermitFacts } from '../../platform/nodes/readPermitFacts.ts';
import { nameHash } from '../../protocol/index.ts';
import type { AdmissionServices } from '../admission/admissionServices.ts';
import { comesAfter } from '../admission/comesAfter.ts';
import type { LocalFacts } from '../admission/createAdmission.ts';
import { acceptLocally } from './acceptLocally.ts';
import { type AcceptedPermit, acceptPermit } from './acceptPermit.ts';
import { checkInput } from './checkInput.ts';
import type { DeployedRecord } from './deployedRecord.ts';
import type { CompiledInput, SignedInput } from './inputPermit.ts';
import { clientOf } from './revivePermit.ts';

/** An input that the contract would accept after the open ones. */
export type AdmittedInput = AcceptedPermit & {
  readonly compiled: CompiledInput;
  readonly gasKind: string | null;
  readonly note: AdmissionNote;
};

type Request = {
  input: SignedInput & { readonly principalId: string };
  target: DeployedRecord;
  compiled: CompiledInput | undefined;
};

/** The view from index and outbox; undefined if a node must decide. */
export async function lookAtInput(
  { input, target, compiled }: Request,
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
  });
}

/**
 * Decides whether an input is sent: by index and outbox if they know enough, otherwise by a node's
 * simulation.
 *
 * @param request.local what `lookAtInput` has said.
 * @throws RefusedError for everything that keeps it from being sent.
 * @throws ChainUnavailableError if a node has to be asked and none answers.
 */
export async function admitInput(
  { local, ...request }: Request & { local: LocalFacts | undefined },
  services: AdmissionServices,
): Promise<AdmittedInput> {
  const found = local && !local.isExternal ? { local } : await askNode(request, { local, services });
  const by = found.local ? 'local' : 'node';
  try {
    return await accept(request, found, services);
  } catch (error) {
    if (error instanceof RefusedError) services.admission.note({ by, outcome: 'refused' });
    throw error;
  }
}

/** Who decides: index and outbox, or a node. */
type Found = { local: LocalFacts } | { local?: undefined; facts: PermitFacts };

/**
 * The node's decision. If it only objects that predecessors are not mined, index and outbox decide about
 * everything except verifiers and action.
 */
async function askNode(
  { input, target, compiled }: Request,
  { local, services }: { local: LocalFacts | undefined; services: AdmissionServices },
): Promise<Found> {
  const { address, wallet } = target;
  const facts = await readPermitFacts(clientOf(target.chainId, services), {
    contract: address,
    signer: input.signer,
    isAgreement: true,
    call: compiled && { from: wallet?.address, to: address, data: compiled.call.callData },
  });
  return comesAfter(local, facts) ? { local } : { facts };
}

async function accept(
  { input, target, compiled }: Request,
  found: Found,
  services: AdmissionServices,
): Promise<AdmittedInput> {
  const { agreement, variables, wallet } = target;
  const { limits, database } = services;
  const facts = found.local ?? found.facts;
  checkInput({ ...input, agreement, variables, facts }, limits);
  if (!compiled) throw new Error('a validated input has no payload');
  const actionErrors = listActionErrors(agreement);
  const shared = { database, wallet, actionErrors, lifetimeSeconds: limits.permitLifetimeSeconds };
  if (found.local) {
    const accepted = await acceptLocally(compiled.permit, { ...shared, facts: found.local });
    const { gasKind, isExternal, note } = found.local;
    return { ...accepted, compiled, gasKind: isExternal ? null : gasKind, note };
  }
  const client = clientOf(target.chainId, services);
  const accepted = await acceptPermit(compiled.permit, {
    ...shared,
    facts: found.facts,
    client,
    mayFollow: true,
  });
  return { ...accepted, compiled, gasKind: null, note: { by: 'node' } };
}

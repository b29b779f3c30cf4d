import type { Admission as AdmissionNote } from '../../platform/database/tables/transactions.ts';
import { ChainUnavailableError, RefusedError } from '../../platform/errors/serviceError.ts';
import { listActionErrors } from '../../platform/nodes/decodeRevert.ts';
import { type PermitFacts, readPermitFacts } from '../../platform/nodes/readPermitFacts.ts';
import { nameHash } from '../../protocol/index.ts';
import type { AdmissionServices } from '../admission/admissionServices.ts';
import { comesAfter } from '../admission/comesAfter.ts';
import type { LocalFacts } from '../admission/createAdmission.ts';
import { acceptLocally } from './acceptLocally.ts';
import { type AcceptedPermit, acceptPermit, findOpenDigest } from './acceptPermit.ts';
import { checkInput } from './checkInput.ts';
import type { DeployedRecord } from './deployedRecord.ts';
import type { CompiledInput, SignedInput } from './inputPermit.ts';
import { findSignedPermit } from './matchPermit.ts';
import { clientOf } from './revivePermit.ts';

/** An input that the contract would accept after the open ones. */
export type AdmittedInput = AcceptedPermit & {
  readonly compiled: CompiledInput;
  readonly gasKind: string | null;
  readonly note: AdmissionNote;
};

/** An input to decide about, as sent to one record. */
export type AdmissionRequest = {
  input: SignedInput & { readonly principalId: string };
  target: DeployedRecord;
  compiled: CompiledInput | undefined;
};

/**
 * The view from index and outbox; undefined if a node must decide.
 *
 * @param request.isAfterOwn whether only the sender's own open inputs come before it; otherwise everybody's do.
 */
export async function lookAtInput(
  { input, target, compiled, isAfterOwn }: AdmissionRequest & { isAfterOwn?: boolean },
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

/**
 * Decides whether an input is sent: by index and outbox if they know enough, otherwise by a node's
 * simulation.
 *
 * @param request.local what `lookAtInput` has said.
 * @throws RefusedError for everything that keeps it from being sent.
 * @throws ChainUnavailableError if a node has to be asked and none answers.
 */
export async function admitInput(
  { local, ...request }: AdmissionRequest & { local: LocalFacts | undefined },
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
  { input, target, compiled }: AdmissionRequest,
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
  request: AdmissionRequest,
  found: Found,
  services: AdmissionServices,
): Promise<AdmittedInput> {
  const { input, target, compiled } = request;
  const { agreement, variables, wallet } = target;
  const { limits, database } = services;
  if (found.local) return acceptByIndex(request, found.local, services);
  const { facts } = found;
  checkInput({ ...input, agreement, variables, facts }, limits);
  if (!compiled) throw new Error('a validated input has no payload');
  const accepted = await acceptPermit(compiled.permit, {
    database,
    wallet,
    actionErrors: listActionErrors(agreement),
    lifetimeSeconds: limits.permitLifetimeSeconds,
    facts,
    client: clientOf(target.chainId, services),
    mayFollow: true,
  });
  return { ...accepted, compiled, gasKind: null, note: { by: 'node' } };
}

/**
 * The decision of index and outbox. Other principals' open inputs count for it, but a refusal reveals them only to a
 * sender whose own open inputs would let a permit of the signer pass.
 */
async function acceptByIndex(
  request: AdmissionRequest,
  facts: LocalFacts,
  services: AdmissionServices,
): Promise<AdmittedInput> {
  const { compiled } = request;
  const { gasKind, isExternal, note } = facts;
  const accepted = await decide(request, facts, services).catch((error: unknown) => {
    if (!(error instanceof RefusedError)) throw error;
    return decideAlone(request, { facts, services, refusal: error });
  });
  if (!compiled) throw new Error('a validated input has no payload');
  return { ...accepted, compiled, gasKind: isExternal ? null : gasKind, note };
}

async function decide(
  { input, target, compiled }: AdmissionRequest,
  facts: LocalFacts,
  { limits, database }: AdmissionServices,
): Promise<AcceptedPermit> {
  const { agreement, variables, wallet } = target;
  checkInput({ ...input, agreement, variables, facts }, limits);
  if (!compiled) throw new Error('a validated input has no payload');
  return acceptLocally(compiled.permit, {
    database,
    wallet,
    actionErrors: listActionErrors(agreement),
    lifetimeSeconds: limits.permitLifetimeSeconds,
    facts,
  });
}

/**
 * What the sender learns of a refusal: what its own open inputs object to, or else the refusal itself. Accepts the very
 * same permit as an open one, which others may have sent.
 *
 * @throws RefusedError otherwise.
 * @throws ChainUnavailableError if index and outbox cannot be read again.
 */
async function decideAlone(
  request: AdmissionRequest,
  {
    facts: { minedNonce, nonce },
    services,
    refusal,
  }: { facts: LocalFacts; services: AdmissionServices; refusal: RefusedError },
): Promise<AcceptedPermit> {
  const { input, target, compiled } = request;
  const { agreement, variables } = target;
  const own = await lookAtInput({ ...request, isAfterOwn: true }, services);
  if (!own) throw new ChainUnavailableError('The index of this chain is not available at the moment.');
  checkInput({ ...input, agreement, variables, facts: own }, services.limits);
  const signed = compiled && findSignedPermit(compiled.permit, { from: minedNonce, through: nonce });
  if (!compiled || !signed) {
    await decide(request, own, services);
    throw refusal;
  }
  const open = await findOpenDigest(services.database, compiled.permit, signed.nonce);
  if (open !== signed.digest) throw refusal;
  return { ...signed, gas: null };
}

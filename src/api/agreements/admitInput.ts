import type { Hex, PublicClient } from 'viem';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { clientOf } from '../../platform/nodes/clients.ts';
import { listActionErrors } from '../../platform/nodes/decodeRevert.ts';
import { type PermitFacts, readPermitFacts } from '../../platform/nodes/readPermitFacts.ts';
import { hasAction } from '../../protocol/actions.ts';
import { JsonCursor } from '../../protocol/jsonCursor.ts';
import { comesAfter } from '../admission/comesAfter.ts';
import type { AdmissionServices, LocalFacts } from '../admission/createAdmission.ts';
import { acceptByIndex } from './acceptByIndex.ts';
import { type AcceptedPermit, acceptPermit } from './acceptPermit.ts';
import { checkInput } from './checkInput.ts';
import type { CompiledInput } from './inputPermit.ts';
import { type AdmissionRequest, type AdmittedInput, lookAtInput } from './lookAtInput.ts';
import { findDigestFor } from './matchPermit.ts';
import { findSignatureFault } from './permitSignature.ts';
import { findSharedPermit } from './sharedPermit.ts';

export type LocalView = {
  readonly local: LocalFacts | undefined;
  /** The permit's digest, if it is signed for the nonce of `local`. */
  readonly digest: Hex | undefined;
};

/**
 * Decides whether an input is sent: by index and outbox if they know enough, otherwise by a node's simulation. Unless
 * the permit is signed for the next nonce, only the sender's own open inputs count. Otherwise the answer would reveal
 * other senders' inputs. A permit that is already open is accepted, whoever sent it.
 *
 * @param request.local what `lookAtInput` has said about it after everybody's open inputs, with `findDigest` of that.
 * @throws RefusedError for everything that keeps it from being sent, also a chain that is not followed any more.
 * @throws ChainUnavailableError if a node has to be asked and none answers.
 */
export async function admitInput(
  { local, digest, ...request }: AdmissionRequest & LocalView,
  services: AdmissionServices,
): Promise<AdmittedInput> {
  const client = clientOf(request.target.chainId, services);
  const isAlone = local !== undefined && digest === undefined;
  const view = isAlone ? await lookAtInput({ ...request, isAfterOwn: true }, services) : local;
  const facts = view && !view.isExternal ? view : await askNode(request, { local: view, client });
  const isByIndex = local !== undefined && facts === view;
  try {
    const isExternal =
      view?.isExternal ?? hasAction(new JsonCursor(request.target.agreement), request.input.inputId);
    if (!isByIndex) return await acceptByNode(request, { facts, isExternal }, services);
    return await acceptByIndex(request, { everybodys: local, digest, view }, services);
  } catch (error) {
    if (error instanceof RefusedError)
      services.admission.note({ by: isByIndex ? 'local' : 'node', outcome: 'refused' });
    throw error;
  }
}

/** The permit's digest, if it is signed for the next nonce after everybody's open inputs. */
export function findDigest(compiled: CompiledInput | undefined, { nonce }: LocalFacts): Hex | undefined {
  if (!compiled || findSignatureFault(compiled.permit.signature)) return undefined;
  return findDigestFor(compiled.permit, nonce);
}

/**
 * The node's view. If it only objects that predecessors are not mined, index and outbox decide about everything except
 * verifiers and action.
 */
async function askNode(
  { input, target, compiled }: AdmissionRequest,
  { local, client }: { local: LocalFacts | undefined; client: PublicClient },
): Promise<PermitFacts> {
  const { address, wallet } = target;
  const facts = await readPermitFacts(client, {
    contract: address,
    signer: input.signer,
    isAgreement: true,
    call: compiled && { from: wallet?.address, to: address, data: compiled.call.callData },
  });
  return comesAfter(local, facts) ? local : facts;
}

async function acceptByNode(
  request: AdmissionRequest,
  { facts, isExternal }: { facts: PermitFacts; isExternal: boolean },
  services: AdmissionServices,
): Promise<AdmittedInput> {
  const accepted = await checkByNode(request, facts, services).catch(async (error: unknown) => {
    const shared =
      error instanceof RefusedError ? await findSharedPermit(request.compiled, services) : undefined;
    if (!shared) throw error;
    return shared;
  });
  const { block } = facts;
  const base = block && { blockNumber: String(block.number), blockHash: block.hash };
  return { ...accepted, gasKind: null, note: { by: 'node', ...base, ...(isExternal && { isExternal }) } };
}

async function checkByNode(
  { input, target, compiled: encoded }: AdmissionRequest,
  facts: PermitFacts,
  services: AdmissionServices,
): Promise<Pick<AdmittedInput, keyof AcceptedPermit | 'compiled'>> {
  const { agreement, variables, wallet } = target;
  const { limits, database } = services;
  const compiled = checkInput({ ...input, agreement, variables, facts, encoded }, limits);
  const accepted = await acceptPermit(compiled.permit, {
    database,
    wallet,
    actionErrors: listActionErrors(agreement),
    lifetimeSeconds: limits.permitLifetimeSeconds,
    facts,
    client: clientOf(target.chainId, services),
    mayFollow: true,
  });
  return { ...accepted, compiled };
}

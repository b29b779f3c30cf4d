import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import { inOwnTransaction } from '../../platform/database/inOwnTransaction.ts';
import { type ParticipantAccess, records } from '../../platform/database/tables/records.ts';
import { findViolatedConstraint } from '../../platform/database/uniqueViolation.ts';
import { malformed, RefusedError } from '../../platform/errors/serviceError.ts';
import { clientOf } from '../../platform/nodes/clients.ts';
import { listActionErrors } from '../../platform/nodes/decodeRevert.ts';
import { readPermitFacts } from '../../platform/nodes/readPermitFacts.ts';
import { faultPoint } from '../../platform/supervision/faultPoint.ts';
import { leaveTurn } from '../../platform/turns/leaveTurn.ts';
import { hashDeploymentContent } from '../../protocol/index.ts';
import { JsonCursor } from '../../protocol/jsonCursor.ts';
import type { WaitingOwner } from '../../records/agreements/changeWatcher.ts';
import type { Services } from '../../records/agreements/services.ts';
import { type AcceptedPermit, acceptPermit } from './acceptPermit.ts';
import { type CheckedDeployment, checkDeployment } from './checkDeployment.ts';
import {
  type CompiledDeployment,
  compileDeployment,
  compileUnfollowed,
  type SignedDeployment,
} from './deployPermit.ts';
import { refuseDocumentId, requireFreeDocumentId } from './documentId.ts';
import { findWallet } from './findWallet.ts';
import { findDeployedAddress } from './indexedAgreement.ts';
import { findDeployment, findSentPermit, type KnownPermit } from './recognisePermit.ts';
import { refuseHeldNonce } from './refuseHeldNonce.ts';
import { reviveIfUsable } from './revivePermit.ts';
import { measureRecord, signDraft, storeRecord } from './storeRecord.ts';
import { storeTransaction } from './storeTransaction.ts';

export type DeployRequest = SignedDeployment & {
  readonly principalId: string;
  readonly displayName: string;
  readonly documentId?: string | undefined;
  readonly notificationTemplate?: unknown;
  readonly requestId?: string | undefined;
  readonly participantAccess?: ParticipantAccess | undefined;
  /** The draft record that becomes this deployment's record; without it a new record. */
  readonly draftId?: string | undefined;
};

/**
 * Stores a deployment as a Draft with its transaction in the outbox. If this principal has sent the permit
 * before, returns the same record, before any check.
 *
 * @returns the record's id, and whether the deployment is new.
 * @throws RefusedError for everything that keeps the deployment from being sent; then nothing is stored.
 * @throws ChainUnavailableError if the chain cannot be asked; then nothing is stored either.
 */
export async function storeDeployment(
  request: DeployRequest,
  services: Services,
): Promise<{ id: string; isNew: boolean }> {
  const { id, isNew } = await findOrStore(request, services);
  faultPoint('afterStoreCommit');
  return { id, isNew };
}

/** Each keeps a connection open, for up to a minute. */
const mostWaiting = 100;

/** Whose deployments and imports wait together. */
export function waitingOwner(owner: string): WaitingOwner {
  return { name: `deployments of ${owner}`, mostWaiting };
}

/**
 * Waits until the index shows a stored deployment's agreement, up to the configured time. Not at all if many
 * deployments of the same owner wait already. Do not hold the request meanwhile: its document may be large.
 */
export async function awaitDeployment(
  { id, owner }: { id: string; owner: string },
  services: Services,
): Promise<void> {
  await services.changes.waitFor({
    ids: [id],
    owner: waitingOwner(owner),
    read: () => readOutcome(id, services),
    isSettled: (outcome) => outcome?.status === 'Deployed' || (outcome?.error ?? null) !== null,
    timeoutMs: services.limits.deployWaitMs,
  });
  faultPoint('beforeAnswer');
}

async function findOrStore(
  request: DeployRequest,
  services: Services,
): Promise<{ id: string; isNew: boolean }> {
  const { database } = services;
  const { principalId } = request;
  const startedAt = performance.now();
  const compiled = await compileDeployment(request, services);
  await leaveTurn(startedAt);
  const call = compiled?.call ?? (await compileUnfollowed(request, services));
  const recognise = async () => call && findDeployment(database, { principalId, ...call });
  const revive = (known: KnownPermit) =>
    compiled ? reviveIfUsable({ ...compiled, known, principalId }, services) : known;

  const known = await recognise();
  if (known) return { ...(await revive(known)), isNew: false };
  await services.quotas.check(request.principalId, 'deploy');
  const checked = await checkDeployment(request, services);
  requireDocUri(request);
  if (!compiled) throw new Error('a validated deployment did not compile');
  try {
    const accepted = await accept({ request, compiled, services });
    return { ...(await store({ request, compiled, checked, accepted, services })), isNew: true };
  } catch (error) {
    // The same permit may have been stored, or even mined, since it was looked for.
    const stored = error instanceof RefusedError ? await recognise() : undefined;
    if (stored) return { ...stored, isNew: false };
    throw await nameDeployed(error, { request, compiled, services });
  }
}

type Attempt = { request: DeployRequest; compiled: CompiledDeployment; services: Services };

async function accept({ request, compiled, services }: Attempt): Promise<AcceptedPermit> {
  const { database } = services;
  const { permit, call } = compiled;
  const client = clientOf(permit.chainId, services);
  const [wallet] = await Promise.all([
    findWallet(database, permit.chainId),
    requireFreeDocumentId(database, request),
  ]);
  const facts = await readPermitFacts(client, {
    contract: permit.contract,
    signer: permit.signer,
    isAgreement: false,
    call: { from: wallet?.address, to: call.contract, data: call.callData },
  });
  const actionErrors = listActionErrors(request.agreement);
  const { permitLifetimeSeconds: lifetimeSeconds } = services.limits;
  return acceptPermit(permit, {
    facts,
    client,
    database,
    wallet,
    actionErrors,
    lifetimeSeconds,
    mayFollow: false,
  });
}

/**
 * If somebody else has sent the same permit, the error `stale_nonce` has the agreement's address, so that it
 * can be adopted.
 */
async function nameDeployed(error: unknown, { request, compiled, services }: Attempt): Promise<unknown> {
  if (!(error instanceof RefusedError)) return error;
  const { call, parameters } = compiled;
  const signed =
    error.reason === 'stale_nonce'
      ? z.string().transform(BigInt).safeParse(error.facts.signedNonce).data
      : error.reason === 'signature_mismatch'
        ? // Its nonce may be too far away to be found by the signature.
          (await findSentPermit(services.database, call, ['mined', 'final']))?.nonce
        : undefined;
  if (signed === undefined) return error;
  const agreementAddress = await findDeployedAddress(services.database, {
    chainId: call.chainId,
    factory: call.contract,
    signer: request.signer,
    nonce: signed,
    contentHash: hashDeploymentContent(parameters),
  });
  if (!agreementAddress) return error;
  const message = `The permit was already used: its agreement is deployed at ${agreementAddress} and can be imported.`;
  return new RefusedError('stale_nonce', message, {
    facts: {
      ...(error.reason === 'stale_nonce' && error.facts),
      ...{ signedNonce: signed.toString(), agreementAddress },
    },
  });
}

async function store(
  attempt: Attempt & { checked: CheckedDeployment; accepted: AcceptedPermit },
): Promise<{ id: string }> {
  const { request, compiled, checked, accepted, services } = attempt;
  const { parameters, call } = compiled;
  const { principalId, signer, deadline } = request;
  const { documentId = randomUUID() } = request;
  try {
    const stored = await inOwnTransaction(services.database, principalId, async (transaction) => {
      const { id: deployTransactionId, isReopened } = await storeTransaction(transaction, {
        ...call,
        kind: 'deploy',
        principalId,
        signer,
        deadline,
        permitNonce: accepted.nonce,
        permitDigest: accepted.digest,
        contentHash: hashDeploymentContent(parameters),
        gasEstimate: accepted.gas,
        requestId: request.requestId,
      });
      const record =
        request.draftId === undefined
          ? await storeRecord(transaction, {
              ...request,
              ...checked,
              documentId,
              docHash: parameters.docHash,
              docUri: parameters.docUri,
              owner: signer,
              deployTransactionId,
            })
          : {
              ...(await signDraft(transaction, { draftId: request.draftId, deployTransactionId })),
              isNew: true,
            };
      faultPoint('beforeStoreCommit');
      return { ...record, isReopened };
    });
    const { id, isNew, isReopened } = stored;
    // Otherwise a concurrent request with the same permit has counted it.
    if (isNew || isReopened) {
      // A draft, and a record that is sent again, are already stored.
      const storedBytes =
        isNew && request.draftId === undefined ? measureRecord({ ...request, ...checked }) : 0;
      services.quotas.note(principalId, { openTransactions: 1, gas: accepted.gas ?? 0n, storedBytes });
    }
    return { id };
  } catch (error) {
    const constraint = findViolatedConstraint(error);
    if (constraint === 'records_document') throw refuseDocumentId(documentId);
    if (constraint !== 'transactions_open_permit') throw error;
    const client = clientOf(call.chainId, services);
    throw await refuseHeldNonce({ ...call, signer }, { nonce: accepted.nonce, client });
  }
}

/** A record's document URI is never generated here, because it is signed. */
function requireDocUri({ docUri, agreement }: DeployRequest): void {
  const id = new JsonCursor(agreement).at('metadata').at('id');
  if (docUri !== undefined || !(id.isAbsent || id.value === '')) return;
  const message = 'is missing, and the agreement has no metadata.id to derive it from';
  throw malformed('body', [{ path: 'docUri', message }]);
}

async function readOutcome(id: string, { database }: Services) {
  const [outcome] = await database
    .select({ status: records.status, error: records.error })
    .from(records)
    .where(eq(records.id, id));
  return outcome;
}

import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { hashDocument, serializeAgreement } from '../../protocol/index.ts';
import { JsonCursor } from '../../protocol/jsonCursor.ts';
import { listActionErrors } from '../chain/decodeRevert.ts';
import { readPermitFacts } from '../chain/readPermitFacts.ts';
import { createId } from '../database/ids.ts';
import { inTransaction } from '../database/inTransaction.ts';
import { records } from '../database/tables/records.ts';
import { findViolatedConstraint } from '../database/uniqueViolation.ts';
import { MalformedError, RefusedError } from '../errors/serviceError.ts';
import { faultPoint } from '../supervision/faultPoint.ts';
import { type AcceptedPermit, acceptPermit } from './acceptPermit.ts';
import { type CheckedDeployment, checkDeployment } from './checkDeployment.ts';
import { type CompiledDeployment, compileDeployment, type SignedDeployment } from './deployPermit.ts';
import { refuseDocumentId, requireFreeDocumentId } from './documentId.ts';
import { findWallet } from './findWallet.ts';
import { findDeployment, type KnownPermit } from './recognisePermit.ts';
import { refuseHeldNonce } from './refuseHeldNonce.ts';
import { clientOf, reviveIfUsable } from './revivePermit.ts';
import type { Services } from './services.ts';
import { storeTransaction } from './storeTransaction.ts';

export type DeployRequest = SignedDeployment & {
  readonly principalId: string;
  readonly displayName: string;
  readonly documentId?: string | undefined;
  readonly notificationTemplate?: unknown;
  readonly requestId?: string | undefined;
};

/**
 * Stores a deployment as a Draft with its transaction in the outbox, and waits until the index shows the agreement, at most
 * for the configured time. A permit that this principal has sent before leads to the same record, before any check.
 *
 * @returns the record's id, whatever became of it.
 * @throws RefusedError for everything that keeps the deployment from being sent; then nothing is stored.
 * @throws ChainUnavailableError where the chain cannot be asked; then nothing is stored either.
 */
export async function deployAgreement(request: DeployRequest, services: Services): Promise<string> {
  const known = await findOrStore(request, services);
  faultPoint('afterStoreCommit');
  await services.changes.waitFor({
    ids: [known.id],
    read: () => readOutcome(known.id, services),
    isSettled: (outcome) => outcome?.status === 'Deployed' || (outcome?.error ?? null) !== null,
    timeoutMs: services.limits.deployWaitMs,
  });
  faultPoint('beforeAnswer');
  return known.id;
}

async function findOrStore(request: DeployRequest, services: Services): Promise<{ id: string }> {
  const { database } = services;
  const { principalId } = request;
  const compiled = compileDeployment(request, services.chains);
  const recognise = async () => compiled && findDeployment(database, { principalId, ...compiled.call });
  const revive = (known: KnownPermit) =>
    compiled ? reviveIfUsable({ ...compiled, known, isAgreement: false }, services) : known;

  const known = await recognise();
  if (known) return revive(known);
  const checked = checkDeployment(request, services);
  requireDocUri(request);
  if (!compiled) throw new Error('a deployment that passed every check did not compile');
  try {
    const accepted = await accept({ request, compiled, services });
    return await store({ request, compiled, checked, accepted, services });
  } catch (error) {
    // The same permit may have been stored, or even mined, since it was looked for.
    const stored = error instanceof RefusedError ? await recognise() : undefined;
    if (stored) return stored;
    throw error;
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
    call: { from: wallet, to: call.contract, data: call.callData },
  });
  const actionErrors = listActionErrors(request.agreement);
  return acceptPermit(permit, { facts, client, database, wallet, actionErrors });
}

async function store(
  attempt: Attempt & { checked: CheckedDeployment; accepted: AcceptedPermit },
): Promise<{ id: string }> {
  const { request, compiled, checked, accepted, services } = attempt;
  const { parameters, call } = compiled;
  const { principalId, signer, deadline, documentId = randomUUID() } = request;
  const document = serializeAgreement(request.agreement);
  try {
    return await inTransaction(services.database, async (transaction) => {
      const deployTransactionId = await storeTransaction(transaction, {
        ...call,
        kind: 'deploy',
        signer,
        deadline,
        permitNonce: accepted.nonce,
        permitDigest: accepted.digest,
        contentHash: hashDocument(document),
        gasEstimate: accepted.gas,
        requestId: request.requestId,
      });
      const [stored] = await transaction
        .insert(records)
        .values({
          id: createId('agr'),
          principalId,
          chainId: call.chainId,
          status: 'Draft',
          displayName: request.displayName,
          document,
          docHash: parameters.docHash,
          templateId: checked.templateId,
          docUri: parameters.docUri,
          documentId,
          participants: checked.participants,
          observers: checked.observers,
          contributors: checked.contributors,
          notificationTemplate:
            request.notificationTemplate === undefined ? null : JSON.stringify(request.notificationTemplate),
          initialVariables: checked.values,
          variables: checked.values,
          deployTransactionId,
          owner: signer,
        })
        .onConflictDoUpdate({
          // Another request of the same principal with the same permit was faster by a moment.
          target: [records.principalId, records.deployTransactionId],
          set: { updatedAt: sql`${records.updatedAt}` },
        })
        .returning({ id: records.id });
      if (!stored) throw new Error(`the record of the transaction ${deployTransactionId} is gone`);
      faultPoint('beforeStoreCommit');
      return stored;
    });
  } catch (error) {
    const constraint = findViolatedConstraint(error);
    if (constraint === 'records_document') throw refuseDocumentId(documentId);
    if (constraint !== 'transactions_open_permit') throw error;
    const client = clientOf(call.chainId, services);
    throw await refuseHeldNonce({ ...call, signer }, { nonce: accepted.nonce, client });
  }
}

/** A record's document URI is never made up here: it is signed. */
function requireDocUri({ docUri, agreement }: DeployRequest): void {
  const id = new JsonCursor(agreement).at('metadata').at('id');
  if (docUri !== undefined || !(id.isAbsent || id.value === '')) return;
  const message = 'is missing, and the agreement has no metadata.id that it could follow from';
  throw new MalformedError('The body is not as expected.', {
    field: 'docUri',
    issues: [{ path: 'docUri', message }],
  });
}

async function readOutcome(id: string, { database }: Services) {
  const [outcome] = await database
    .select({ status: records.status, error: records.error })
    .from(records)
    .where(eq(records.id, id));
  return outcome;
}

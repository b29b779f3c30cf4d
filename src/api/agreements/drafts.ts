import { and, eq, sql } from 'drizzle-orm';
import type { Address } from 'viem';
import { createId } from '../../platform/database/ids.ts';
import { inOwnTransaction } from '../../platform/database/inOwnTransaction.ts';
import { type ParticipantAccess, records } from '../../platform/database/tables/records.ts';
import { findViolatedConstraint } from '../../platform/database/uniqueViolation.ts';
import type { Derive } from '../../platform/encryption/derive.ts';
import { NotFoundError, RefusedError } from '../../platform/errors/serviceError.ts';
import type { Services } from '../../records/agreements/services.ts';
import type { DeploymentContent } from './deployPermit.ts';
import { refuseDocumentId } from './documentId.ts';
import { encodeHosted } from './prepareDeployment.ts';
import { measureRecord, storeRecord } from './storeRecord.ts';

export type DraftRequest = DeploymentContent & {
  readonly principalId: string;
  readonly displayName: string;
  /** The required signer and future owner of the deployment. */
  readonly signer: Address;
  readonly documentId?: string | undefined;
  readonly notificationTemplate?: unknown;
  readonly participantAccess?: ParticipantAccess | undefined;
  /** For a request that may be repeated: gives the same id each time. */
  readonly derive?: Derive | undefined;
};

/** A prepared, checked deployment; its owner can sign only this. */
export type StoredDraft = DeploymentContent & {
  readonly draftId: string;
  readonly principalId: string;
  readonly displayName: string;
  readonly signer: Address;
  readonly docUri: string;
  readonly documentId: string | undefined;
  readonly isSigned: boolean;
};

/**
 * Stores a deployment for its owner to sign, as a record with the status Draft. Nothing is sent. A repeated request gets
 * the one that it stored before.
 *
 * @returns the record's id.
 * @throws RefusedError, MalformedError for a deployment that would be refused, whatever its signature; then nothing is stored.
 */
export async function createDraft(request: DraftRequest, services: Services): Promise<string> {
  const { database, quotas } = services;
  const { principalId, signer, derive } = request;
  const newId = createId('agr', derive?.('id'));
  if (derive) {
    const created = and(eq(records.id, newId), eq(records.principalId, principalId));
    const [known] = await database.select({ id: records.id }).from(records).where(created);
    if (known) return known.id;
  }
  await quotas.check(principalId, 'deploy');
  const { checked, hosted, encoded } = await encodeHosted(request, services);
  const { docHash } = encoded.parameters;
  try {
    const { id } = await inOwnTransaction(database, principalId, (transaction) =>
      storeRecord(transaction, { ...request, ...checked, ...hosted, id: newId, docHash, owner: signer }),
    );
    quotas.note(principalId, { storedBytes: measureRecord({ ...request, ...checked }) });
    return id;
  } catch (error) {
    if (findViolatedConstraint(error) !== 'records_document') throw error;
    throw refuseDocumentId(hosted.documentId);
  }
}

/** The deployment of a record, signed by its owner or not. */
export async function readDraft({ database }: Services, recordId: string): Promise<StoredDraft> {
  const [row] = await database
    .select({
      draftId: records.id,
      principalId: records.principalId,
      chainId: records.chainId,
      displayName: records.displayName,
      document: records.document,
      initValues: records.initialVariables,
      participants: records.participants,
      observers: records.observers,
      docUri: records.docUri,
      documentId: records.documentId,
      signer: records.owner,
      awaitsOwner: records.awaitsOwner,
    })
    .from(records)
    .where(eq(records.id, recordId));
  if (!row?.signer) throw new NotFoundError('The draft does not exist.');
  const { document, documentId, signer, awaitsOwner, ...draft } = row;
  return {
    ...draft,
    signer,
    documentId: documentId ?? undefined,
    agreement: JSON.parse(document),
    isSigned: !awaitsOwner,
  };
}

/** @throws RefusedError `draft_signed` if the draft no longer waits for a signature. */
export function requireUnsigned({ isSigned }: StoredDraft): void {
  if (isSigned) throw new RefusedError('draft_signed', 'The draft is already signed.');
}

/**
 * Withdraws a draft with all links to it.
 *
 * @throws NotFoundError if the principal has no such record.
 * @throws RefusedError `draft_signed` if its owner has signed it: anyone can send a signed deployment.
 */
export async function deleteDraft(
  { id, principalId }: { id: string; principalId: string },
  { database }: Services,
): Promise<void> {
  const own = and(eq(records.id, id), eq(records.principalId, principalId));
  const [deleted] = await database
    .delete(records)
    .where(and(own, eq(records.awaitsOwner, true)))
    .returning({ id: records.id });
  if (deleted) return;
  const [record] = await database.select({ found: sql`1` }).from(records).where(own);
  if (!record) throw new NotFoundError('The draft does not exist.');
  throw new RefusedError('draft_signed', 'The draft is already signed and cannot be withdrawn.');
}

import { and, eq, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import type { DatabaseTransaction } from '../../platform/database/database.ts';
import { createId } from '../../platform/database/ids.ts';
import { isInserted } from '../../platform/database/isInserted.ts';
import { type ParticipantAccess, records } from '../../platform/database/tables/records.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { serializeAgreement } from '../../protocol/index.ts';
import { measureStored } from '../../records/quotas/measureStored.ts';
import { keepWallets } from '../../records/sharing/participantWallets.ts';
import type { CheckedDeployment } from './checkDeployment.ts';

export type NewRecord = Pick<
  CheckedDeployment,
  'templateId' | 'participantVariableKeys' | 'values' | 'participants' | 'observers' | 'contributors'
> & {
  /** A new one if left out. */
  readonly id?: string | undefined;
  readonly principalId: string;
  readonly chainId: number;
  readonly displayName: string;
  /** As it was parsed. */
  readonly agreement: unknown;
  readonly docHash: Hex;
  readonly docUri: string;
  readonly documentId: string;
  readonly notificationTemplate?: unknown;
  readonly owner: Address;
  readonly participantAccess?: ParticipantAccess | undefined;
  /** Absent for a deployment that waits for its owner's signature. */
  readonly deployTransactionId?: string | undefined;
};

/**
 * The variables whose wallets `participantAccess` lets in: those of participants, as named by the document or
 * the deployment.
 */
export function listAccessVariables(
  participantVariableKeys: readonly string[],
  participants: readonly { readonly variableKey: string }[],
): string[] {
  return [...new Set([...participantVariableKeys, ...participants.map(({ variableKey }) => variableKey)])];
}

/** The bytes of a record for its principal's quota. Its values are stored as they were and as they are. */
export function measureRecord({
  agreement,
  values,
  participants,
  observers,
  contributors,
  notificationTemplate,
}: Pick<
  NewRecord,
  'agreement' | 'values' | 'participants' | 'observers' | 'contributors' | 'notificationTemplate'
>): number {
  const document = serializeAgreement(agreement);
  return measureStored([
    ...[document, values, values, participants, observers, contributors, notificationTemplate],
  ]);
}

/** Stores a deployment as a Draft. The same permit of the same principal returns the existing record, which is not new. */
export async function storeRecord(
  transaction: DatabaseTransaction,
  record: NewRecord,
): Promise<{ id: string; isNew: boolean }> {
  const { agreement, notificationTemplate, participantAccess = 'none', deployTransactionId, values } = record;
  const isOpen = participantAccess !== 'none';
  const accessVariables = listAccessVariables(record.participantVariableKeys, record.participants);
  const awaitsOwner = deployTransactionId === undefined;
  const [stored] = await transaction
    .insert(records)
    .values({
      id: record.id ?? createId('agr'),
      principalId: record.principalId,
      chainId: record.chainId,
      status: 'Draft',
      displayName: record.displayName,
      document: serializeAgreement(agreement),
      docHash: record.docHash,
      templateId: record.templateId,
      docUri: record.docUri,
      documentId: record.documentId,
      participants: record.participants,
      observers: record.observers,
      contributors: record.contributors,
      notificationTemplate: notificationTemplate === undefined ? null : JSON.stringify(notificationTemplate),
      initialVariables: values,
      variables: values,
      awaitsOwner,
      participantAccess,
      accessVariables: isOpen ? accessVariables : null,
      deployTransactionId: deployTransactionId ?? null,
      owner: record.owner,
    })
    .onConflictDoUpdate({
      // A concurrent request of the same principal with the same permit was faster.
      target: [records.principalId, records.deployTransactionId],
      set: { updatedAt: sql`${records.updatedAt}` },
    })
    .returning({ id: records.id, isNew: isInserted(records) });
  if (!stored) throw new Error(`the record of the transaction ${deployTransactionId} is gone`);
  const awaitedOwner = awaitsOwner ? record.owner : undefined;
  if (isOpen)
    await keepWallets(transaction, [{ id: stored.id, accessVariables, variables: values, awaitedOwner }]);
  return stored;
}

/**
 * Adds the owner's permit to a draft.
 *
 * @throws RefusedError `draft_signed` if it has one already, or is withdrawn.
 */
export async function signDraft(
  transaction: DatabaseTransaction,
  { draftId, deployTransactionId }: { draftId: string; deployTransactionId: string },
): Promise<{ id: string }> {
  const [signed] = await transaction
    .update(records)
    .set({ deployTransactionId, awaitsOwner: false, updatedAt: sql`now()` })
    .where(and(eq(records.id, draftId), eq(records.awaitsOwner, true)))
    .returning({ id: records.id });
  if (signed) return signed;
  throw new RefusedError('draft_signed', 'The draft is already signed or withdrawn.');
}

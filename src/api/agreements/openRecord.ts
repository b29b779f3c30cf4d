import { setTimeout as delay } from 'node:timers/promises';
import { eq, sql } from 'drizzle-orm';
import type { DatabaseTransaction } from '../../platform/database/database.ts';
import { passFoldGate } from '../../platform/database/foldGate.ts';
import { inOwnTransaction } from '../../platform/database/inOwnTransaction.ts';
import { type ParticipantAccess, records } from '../../platform/database/tables/records.ts';
import { ChainUnavailableError } from '../../platform/errors/serviceError.ts';
import { validateAgreement } from '../../protocol/index.ts';
import type { Services } from '../../records/agreements/services.ts';
import { requireActiveKey } from '../../records/principals/requireActiveKey.ts';
import { forgetWallets, keepWallets } from '../../records/sharing/participantWallets.ts';
import { agreementLimits } from './checkDeployment.ts';
import { findOwned } from './findOwned.ts';
import type { RecordReference } from './recordReference.ts';
import { listAccessVariables } from './storeRecord.ts';

/** A fold may take seconds; whoever waits for it holds no connection meanwhile. */
const gateTries = 50;
const gatePauseMs = 100;

/**
 * Grants or withdraws access for the wallets of a record's participants.
 *
 * @throws NotFoundError, AccessError, MalformedError as `queryOwned` does.
 * @throws AccessError `unauthorized` if the key of the request has been revoked meanwhile.
 * @throws ChainUnavailableError if the chain's records are being folded for too long; then nothing is changed.
 */
export async function openRecord(
  request: {
    readonly reference: RecordReference;
    readonly principalId: string;
    readonly keyId: string;
    readonly participantAccess: ParticipantAccess;
  },
  { database, pool, limits }: Pick<Services, 'database' | 'pool' | 'limits'>,
): Promise<void> {
  const { participantAccess, keyId } = request;
  const { id, chainId } = await findOwned(pool, request);
  for (let tries = 0; tries < gateTries; tries++) {
    if (tries > 0) await delay(gatePauseMs);
    const hasPassed = await inOwnTransaction(database, request.principalId, async (transaction) => {
      if (!(await passFoldGate(transaction, chainId))) return false;
      await setAccess(transaction, { id, keyId, participantAccess, limits });
      return true;
    });
    if (hasPassed) return;
  }
  throw new ChainUnavailableError('The records of this chain are being updated. Try again.');
}

async function setAccess(
  transaction: DatabaseTransaction,
  {
    id,
    keyId,
    participantAccess,
    limits,
  }: { id: string; keyId: string; participantAccess: ParticipantAccess; limits: Services['limits'] },
): Promise<void> {
  // Folds write the record's wallets too, so they wait for this row.
  const [record] = await transaction
    .select({
      document: records.document,
      participants: records.participants,
      variables: records.variables,
      owner: records.owner,
      awaitsOwner: records.awaitsOwner,
    })
    .from(records)
    .where(eq(records.id, id))
    .for('update');
  if (!record) return;
  // The access outlives the key, and the gate may have taken seconds.
  await requireActiveKey(transaction, keyId);
  const isOpen = participantAccess !== 'none';
  const { variables, participants, document } = record;
  const { participantVariableKeys } = validateAgreement(JSON.parse(document), agreementLimits(limits));
  const accessVariables = listAccessVariables(participantVariableKeys, participants);
  await transaction
    .update(records)
    .set({ participantAccess, accessVariables: isOpen ? accessVariables : null, updatedAt: sql`now()` })
    .where(eq(records.id, id));
  const awaitedOwner = record.awaitsOwner ? (record.owner ?? undefined) : undefined;
  if (isOpen) await keepWallets(transaction, [{ id, accessVariables, variables, awaitedOwner }]);
  else await forgetWallets(transaction, id);
}

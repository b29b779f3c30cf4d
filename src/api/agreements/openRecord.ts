import { setTimeout as delay } from 'node:timers/promises';
import { eq, sql } from 'drizzle-orm';
import type pg from 'pg';
import type { DatabaseTransaction } from '../../platform/database/database.ts';
import { passFoldGate } from '../../platform/database/foldGate.ts';
import { inOwnTransaction } from '../../platform/database/inOwnTransaction.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import { type ParticipantAccess, records } from '../../platform/database/tables/records.ts';
import { ChainUnavailableError } from '../../platform/errors/serviceError.ts';
import { noteReadBytes } from '../../platform/http/readCost.ts';
import { leaveTurn } from '../../platform/turns/leaveTurn.ts';
import { JsonCursor } from '../../protocol/jsonCursor.ts';
import { readVariables } from '../../protocol/variables.ts';
import type { Services } from '../../records/agreements/services.ts';
import { requireActiveKey } from '../../records/principals/requireActiveKey.ts';
import { forgetWallets, keepWallets } from '../../records/sharing/participantWallets.ts';
import { findOwned } from './findOwned.ts';
import type { RecordReference } from './recordReference.ts';
import { listAccessVariables } from './storeRecord.ts';

/** A fold may take seconds; whoever waits for it holds no connection meanwhile. */
const gateTries = 50;
const gatePauseMs = 100;

/**
 * Grants or withdraws access for the wallets of a record's participants.
 *
 * @param request.inPageTurn runs the read of the document, which may be large.
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
    inPageTurn<Page extends object>(read: () => Promise<Page>): Promise<Page>;
  },
  { database, pool }: Pick<Services, 'database' | 'pool'>,
): Promise<void> {
  const { participantAccess, keyId, inPageTurn } = request;
  const { id, chainId } = await findOwned(pool, request);
  const participantVariables =
    participantAccess === 'none' ? [] : await inPageTurn(() => readParticipantVariables(pool, id));
  for (let tries = 0; tries < gateTries; tries++) {
    if (tries > 0) await delay(gatePauseMs);
    const hasPassed = await inOwnTransaction(database, request.principalId, async (transaction) => {
      if (!(await passFoldGate(transaction, chainId))) return false;
      await setAccess(transaction, { id, keyId, participantAccess, participantVariables });
      return true;
    });
    if (hasPassed) return;
  }
  throw new ChainUnavailableError('The records of this chain are being updated. Try again.');
}

/** As the document of a record names them; it never changes. */
async function readParticipantVariables(pool: pg.Pool, id: string): Promise<string[]> {
  const text = 'select document from service.records where id = $1';
  const [row] = await runPrepared<RowOf<typeof records, 'document'>>(pool, text, [id]);
  const document = row?.document ?? '{}';
  const startedAt = performance.now();
  const variables = readVariables(new JsonCursor(JSON.parse(document)));
  const names = variables.filter(({ isParticipant }) => isParticipant).map(({ name }) => name);
  await leaveTurn(startedAt);
  return noteReadBytes(names, Buffer.byteLength(document));
}

async function setAccess(
  transaction: DatabaseTransaction,
  {
    id,
    keyId,
    participantAccess,
    participantVariables,
  }: {
    id: string;
    keyId: string;
    participantAccess: ParticipantAccess;
    participantVariables: readonly string[];
  },
): Promise<void> {
  // Folds write the record's wallets too, so they wait for this row.
  const [record] = await transaction
    .select({
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
  const { variables, participants } = record;
  const accessVariables = listAccessVariables(participantVariables, participants);
  await transaction
    .update(records)
    .set({ participantAccess, accessVariables: isOpen ? accessVariables : null, updatedAt: sql`now()` })
    .where(eq(records.id, id));
  const awaitedOwner = record.awaitsOwner ? (record.owner ?? undefined) : undefined;
  if (isOpen) await keepWallets(transaction, [{ id, accessVariables, variables, awaitedOwner }]);
  else await forgetWallets(transaction, id);
}

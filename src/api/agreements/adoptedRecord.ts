import { randomUUID } from 'node:crypto';
import { and, eq, gte, inArray, isNull, ne, or, sql } from 'drizzle-orm';
import { type Address, getAddress } from 'viem';
import { channels } from '../../platform/database/channels.ts';
import type { Database, DatabaseTransaction } from '../../platform/database/database.ts';
import { createId } from '../../platform/database/ids.ts';
import { inOwnTransaction } from '../../platform/database/inOwnTransaction.ts';
import { recordsOf } from '../../platform/database/statements.ts';
import { records } from '../../platform/database/tables/records.ts';
import { transactions } from '../../platform/database/tables/transactions.ts';
import { findViolatedConstraint } from '../../platform/database/uniqueViolation.ts';
import { type DeployValues, hashDocument } from '../../protocol/index.ts';
import {
  displaceWaiting,
  findDisplaced,
  restoreDisplaced,
} from '../../records/agreements/displacedRecords.ts';
import { maxDocUri } from '../../records/agreements/maxDocUri.ts';
import {
  adoptedCreationOf,
  type Creation,
  permitCreationOf,
} from '../../records/agreements/sameAgreement.ts';
import type { AdoptedPast, InputKey } from './adoptedPast.ts';
import { isDocumentId, isFreeDocumentId } from './documentId.ts';
import { findHostedId } from './documentUri.ts';
import type { FoundAgreement } from './findOnChain.ts';

type Place = { readonly principalId: string; readonly chainId: number; readonly address: Address };

export type AdoptedRecord = Place & {
  readonly found: FoundAgreement;
  readonly past: AdoptedPast;
  readonly displayName: string;
  /** The hashed text. */
  readonly document: string;
  readonly templateId: string;
  readonly values: DeployValues;
  readonly observers?: readonly string[] | undefined;
};

/** A record that has an agreement, or will have it. */
export type Managed = { readonly id: string; readonly status: 'Draft' | 'Deployed' };

/**
 * A principal's record at an address. If the agreement there is known, this finds no Draft that waits there for another
 * one, but also the Draft that its permit will deploy there, which does not know the address yet.
 */
export async function findManaged(
  database: Database,
  { principalId, chainId, address }: Place,
  found?: FoundAgreement,
): Promise<Managed | undefined> {
  const [managed] = await database
    .select({ id: records.id, status: records.status })
    .from(records)
    .leftJoin(transactions, eq(transactions.id, records.deployTransactionId))
    .where(
      and(
        eq(records.principalId, principalId),
        eq(records.chainId, chainId),
        or(
          and(eq(records.address, address), found && or(isDeployed, isWaitingFor(found))),
          found && isMadeBy(found),
        ),
      ),
    )
    .orderBy(sql`${isDeployed} desc`)
    .limit(1);
  return managed;
}

const isDeployed = eq(records.status, 'Deployed');

function isWaitingFor(found: FoundAgreement) {
  const { transactionHash, permitCreation } = creationOf(found);
  return and(
    eq(records.docHash, found.docHash),
    or(
      isNull(records.adoptedCreation),
      inArray(records.adoptedCreation, [transactionHash, permitCreation ?? transactionHash]),
    ),
  );
}

function creationOf(found: FoundAgreement): Creation {
  return { transactionHash: found.transactionHash, permitCreation: permitCreationOf(found) };
}

/** A fold deploys such a Draft. A failed one, or one of other content, never becomes this agreement. */
function isMadeBy({
  factory,
  permitSigner,
  permitNonce,
  docHash,
  contentHash,
  blockTimestamp,
}: FoundAgreement) {
  if (permitSigner === null || permitNonce === null) return undefined;
  return and(
    eq(records.status, 'Draft'),
    isNull(records.error),
    eq(records.docHash, docHash),
    ne(transactions.state, 'failed'),
    // Rows of earlier versions have only the document.
    inArray(transactions.contentHash, contentHash === null ? [docHash] : [contentHash, docHash]),
    gte(transactions.deadline, blockTimestamp),
    eq(transactions.contract, getAddress(factory)),
    eq(transactions.signer, getAddress(permitSigner)),
    eq(transactions.permitNonce, permitNonce),
  );
}

/**
 * Stores an agreement as a Draft that waits for the index to show its address, or has the record wait there again that a
 * reorg had displaced. A Draft that waits there for another agreement gives way. Returns nothing if the principal has
 * a record of the agreement by now.
 */
export async function storeAdopted(
  database: Database,
  adopted: AdoptedRecord,
  publicBaseUrl: string,
): Promise<{ id: string; isNew: boolean } | undefined> {
  const { principalId, found } = adopted;
  const hostedId = findHostedId(found.docUri, publicBaseUrl);
  const isUsable =
    hostedId !== undefined &&
    isDocumentId(hostedId) &&
    (await isFreeDocumentId(database, { principalId, documentId: hostedId }));
  // A document that this service already hosts for others has the same URI for this principal.
  for (const documentId of [...(isUsable ? [hostedId] : []), randomUUID()]) {
    try {
      return await insert(database, adopted, documentId);
    } catch (error) {
      const constraint = findViolatedConstraint(error);
      if (constraint === 'records_agreement') return undefined;
      if (constraint !== 'records_document') throw error;
    }
  }
  throw new Error('no unused document id was found');
}

/** The part of an agreement's docUri that its record shows. */
export function shownDocUri({ docUri }: FoundAgreement): string {
  return docUri.slice(0, maxDocUri).toWellFormed();
}

async function insert(
  database: Database,
  adopted: AdoptedRecord,
  documentId: string,
): Promise<{ id: string; isNew: boolean }> {
  const { principalId, chainId, address, found, past, document, values, observers = [] } = adopted;
  const docHash = hashDocument(document);
  const creation = creationOf(found);
  const place = {
    ...{ principal_id: principalId, chain_id: chainId, address, doc_hash: docHash },
    ...{ transaction_hash: creation.transactionHash, permit_creation: creation.permitCreation },
  };
  return inOwnTransaction(database, principalId, async (transaction) => {
    await transaction.execute(sql`select pg_notify(${channels.recordAwaited}, ${String(chainId)})`);
    const displaced = await displaceWaiting(transaction, [place]);
    // The agreement's own record can only be displaced while another one is there.
    if (displaced.length > 0) {
      const [former] = await restoreDisplaced(transaction, await findDisplaced(transaction, [place]));
      if (former !== undefined) return { id: former, isNew: false };
    }
    const id = createId('agr');
    await transaction.insert(records).values({
      id,
      principalId,
      chainId,
      address,
      status: 'Draft',
      displayName: adopted.displayName,
      document,
      docHash,
      templateId: adopted.templateId,
      docUri: shownDocUri(found),
      documentId,
      participants: values.participants,
      observers: [...new Set(observers)],
      contributors: values.contributors,
      initialVariables: values.values,
      variables: values.values,
      adoptedThrough: past.latestBlock,
      adoptedFinal: past.finalBlock,
      adoptedCreation: adoptedCreationOf(creation),
    });
    await storePast(transaction, id, past.recentInputs);
    return { id, isNew: true };
  });
}

async function storePast(
  transaction: DatabaseTransaction,
  recordId: string,
  inputs: readonly InputKey[],
): Promise<void> {
  if (inputs.length === 0) return;
  const keys = inputs.map(({ transactionHash, ordinal }) => ({ transaction_hash: transactionHash, ordinal }));
  await transaction.execute(sql`
    insert into service.adopted_inputs (record_id, transaction_hash, ordinal)
    select ${recordId}, transaction_hash, ordinal from ${recordsOf(keys)} as past(transaction_hash text, ordinal int)
    on conflict do nothing`);
}

import { and, asc, desc, eq, inArray, or, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { indexedAgreements, indexedInputs, indexViewsSchemaName } from '../../database/indexView.ts';
import { principals } from '../../database/tables/access.ts';
import { events } from '../../database/tables/events.ts';
import { inputs } from '../../database/tables/inputs.ts';
import { records } from '../../database/tables/records.ts';
import { transactionAttempts, transactions } from '../../database/tables/transactions.ts';
import { deliveries, deliveryAttempts, webhookSubscriptions } from '../../database/tables/webhooks.ts';
import { findSubject } from './findSubject.ts';

/** An agreement with a long history is traced by its latest inputs. */
const mostInputs = 50;
const mostEvents = 100;

export type Trace = Awaited<ReturnType<typeof readTrace>>;

/**
 * Everything that is known of one id, from who asked for it to who was told of it: records with their principals, the transactions
 * of the outbox with every signed form, what the index shows of them, inputs, events and deliveries. Without payloads and secrets.
 *
 * @throws AdministrationError where nothing has this id.
 */
export async function readTrace(database: Database, id: string) {
  const subject = await findSubject(database, id);
  // A record alone stands for its deployment and all of its history.
  const isWhole = subject.kind === 'record';
  // An event's record is where it happened, not what is asked for.
  const named = subject.eventIds.length > 0 ? [] : subject.recordIds;
  const foundInputs = await readInputs(database, {
    ids: subject.inputIds,
    transactionIds: subject.transactionIds,
    recordIds: isWhole ? subject.recordIds : [],
  });
  const foundRecords = await readRecords(database, {
    ids: [...subject.recordIds, ...foundInputs.map(({ recordId }) => recordId)],
    transactionIds: subject.transactionIds,
  });
  const deployments = isWhole ? foundRecords.map((record) => record.deployTransactionId) : [];
  const transactionIds = compact([
    ...subject.transactionIds,
    ...deployments,
    ...foundInputs.map(({ transactionId }) => transactionId),
  ]);
  const foundTransactions = await readTransactions(database, transactionIds);
  const hashes = compact([
    ...foundTransactions.flatMap(({ txHash, attempts }) => [txHash, ...attempts.map((one) => one.txHash)]),
    ...foundInputs.map(({ txHash }) => txHash),
    ...foundRecords.filter(({ id }) => named.includes(id)).map(({ deployTxHash }) => deployTxHash),
  ]);
  const index = await readIndex(database, hashes);
  const told = await readEvents(database, {
    ids: subject.eventIds,
    recordIds: foundRecords.map((record) => record.id),
    hashes: isWhole ? undefined : hashes,
  });
  return {
    subject: { id, kind: subject.kind },
    records: foundRecords,
    transactions: foundTransactions,
    inputs: foundInputs,
    index,
    events: told,
  };
}

async function readRecords(
  database: Database,
  { ids, transactionIds }: { ids: readonly string[]; transactionIds: readonly string[] },
) {
  const rows = await database
    .select({ record: records, principalName: principals.name })
    .from(records)
    .innerJoin(principals, eq(principals.id, records.principalId))
    .where(
      or(inArray(records.id, compact(ids)), inArray(records.deployTransactionId, compact(transactionIds))),
    )
    .orderBy(asc(records.createdAt));
  return rows.map(({ record, principalName }) => ({
    id: record.id,
    principalId: record.principalId,
    principalName,
    chainId: record.chainId,
    address: record.address,
    status: record.status,
    displayName: record.displayName,
    docHash: record.docHash,
    state: record.state,
    stateBlockNumber: text(record.stateBlockNumber),
    error: record.error,
    deployTransactionId: record.deployTransactionId,
    deployTxHash: record.deployTxHash,
    deployBlockNumber: text(record.deployBlockNumber),
    adoptedThrough: text(record.adoptedThrough),
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  }));
}

async function readInputs(
  database: Database,
  wanted: { ids: readonly string[]; transactionIds: readonly string[]; recordIds: readonly string[] },
) {
  const rows = await database
    .select()
    .from(inputs)
    .where(
      or(
        inArray(inputs.id, compact(wanted.ids)),
        inArray(inputs.transactionId, compact(wanted.transactionIds)),
        inArray(inputs.recordId, compact(wanted.recordIds)),
      ),
    )
    .orderBy(desc(inputs.createdAt), desc(inputs.id))
    .limit(mostInputs);
  return rows.toReversed().map((input) => ({
    id: input.id,
    recordId: input.recordId,
    transactionId: input.transactionId,
    principalId: input.userId,
    inputId: input.inputId,
    status: input.status,
    signer: input.signer,
    submitter: input.submitter,
    fromState: input.fromState,
    toState: input.toState,
    sequence: input.sequence,
    position: input.position,
    txHash: input.txHash,
    blockNumber: text(input.blockNumber),
    error: input.error,
    createdAt: input.createdAt,
    updatedAt: input.updatedAt,
  }));
}

async function readTransactions(database: Database, ids: string[]) {
  const [rows, attempts] = await Promise.all([
    database
      .select()
      .from(transactions)
      .where(inArray(transactions.id, ids))
      .orderBy(asc(transactions.createdAt)),
    database
      .select()
      .from(transactionAttempts)
      .where(inArray(transactionAttempts.transactionId, ids))
      .orderBy(asc(transactionAttempts.id)),
  ]);
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    chainId: row.chainId,
    contract: row.contract,
    signer: row.signer,
    permitNonce: String(row.permitNonce),
    permitDigest: row.permitDigest,
    deadline: new Date(Number(row.deadline) * 1_000),
    state: row.state,
    failure: row.failure,
    wallet: row.wallet,
    walletNonce: row.walletNonce,
    txHash: row.txHash,
    gasEstimate: text(row.gasEstimate),
    minedBlockNumber: text(row.minedBlockNumber),
    requestId: row.requestId,
    traceId: traceIdOf(row.traceParent),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    attempts: attempts
      .filter(({ transactionId }) => transactionId === row.id)
      .map((attempt) => ({
        txHash: attempt.txHash,
        wallet: attempt.wallet,
        nonce: attempt.walletNonce,
        gas: String(attempt.gas),
        maxFeePerGas: String(attempt.maxFeePerGas),
        maxPriorityFeePerGas: String(attempt.maxPriorityFeePerGas),
        signedAt: attempt.createdAt,
        acceptedAt: attempt.acceptedAt,
        objection: attempt.lastError,
      })),
  }));
}

/** What the index shows in these transactions; null where no indexer has been at work yet. */
async function readIndex(database: Database, hashes: readonly string[]) {
  const { rows } = await database.execute<{ is_there: boolean }>(
    sql`select to_regclass(${`${indexViewsSchemaName}.inputs`}) is not null as is_there`,
  );
  if (rows[0]?.is_there !== true) return null;
  const wanted = hashes.map((hash): `0x${string}` => `0x${hash.slice(2).toLowerCase()}`);
  const [deployed, accepted] = await Promise.all([
    database.select().from(indexedAgreements).where(inArray(indexedAgreements.transactionHash, wanted)),
    database.select().from(indexedInputs).where(inArray(indexedInputs.transactionHash, wanted)),
  ]);
  const logs = [
    ...deployed.map((log) => ({ event: 'AgreementDeployed', agreement: log.address, position: null, log })),
    ...accepted.map((log) => ({
      event: 'InputAccepted',
      agreement: log.agreement,
      position: log.position,
      log,
    })),
  ];
  return logs.map(({ event, agreement, position, log }) => ({
    event,
    chainId: log.chainId,
    agreement,
    position,
    txHash: log.transactionHash,
    blockNumber: String(log.blockNumber),
    blockHash: log.blockHash,
    blockTime: new Date(Number(log.blockTimestamp) * 1_000),
    logIndex: log.logIndex,
    permitSigner: log.permitSigner,
    permitSubmitter: log.permitSubmitter,
    permitNonce: text(log.permitNonce),
    transactionFrom: log.transactionFrom,
  }));
}

async function readEvents(
  database: Database,
  wanted: {
    ids: readonly string[];
    recordIds: readonly string[];
    hashes: `0x${string}`[] | undefined;
  },
) {
  const ofRecords = inArray(events.recordId, compact(wanted.recordIds));
  const found = await database
    .select()
    .from(events)
    .where(
      wanted.ids.length > 0
        ? inArray(events.id, compact(wanted.ids))
        : and(ofRecords, wanted.hashes && inArray(events.txHash, wanted.hashes)),
    )
    .orderBy(desc(events.createdAt), desc(events.blockOrder))
    .limit(mostEvents);
  const ids = found.map(({ id }) => id);
  const sent = await database
    .select({ delivery: deliveries, url: webhookSubscriptions.url })
    .from(deliveries)
    .innerJoin(webhookSubscriptions, eq(webhookSubscriptions.id, deliveries.subscriptionId))
    .where(inArray(deliveries.eventId, ids))
    .orderBy(asc(deliveries.createdAt));
  const attempts = await database
    .select()
    .from(deliveryAttempts)
    .where(
      inArray(
        deliveryAttempts.deliveryId,
        sent.map(({ delivery }) => delivery.id),
      ),
    )
    .orderBy(asc(deliveryAttempts.number));
  return found.toReversed().map((event) => ({
    id: event.id,
    type: event.type,
    principalId: event.principalId,
    recordId: event.recordId,
    state: event.state,
    position: event.position,
    chainId: event.chainId,
    blockNumber: text(event.blockNumber),
    txHash: event.txHash,
    traceId: traceIdOf(event.traceParent),
    createdAt: event.createdAt,
    releasedAt: event.releasedAt,
    deliveries: sent
      .filter(({ delivery }) => delivery.eventId === event.id)
      .map(({ delivery, url }) => ({
        id: delivery.id,
        subscriptionId: delivery.subscriptionId,
        // Path and query of a receiver may be the key to it.
        host: URL.canParse(url) ? new URL(url).host : null,
        status: delivery.status,
        nextAttemptAt: delivery.nextAttemptAt,
        completedAt: delivery.completedAt,
        attempts: attempts
          .filter(({ deliveryId }) => deliveryId === delivery.id)
          .map(({ number, startedAt, durationMs, responseStatus, error }) => ({
            number,
            startedAt,
            durationMs,
            responseStatus,
            error,
          })),
      })),
  }));
}

function compact<Value>(values: readonly (Value | null)[]): Value[] {
  return [...new Set(values)].flatMap((value) => (value === null ? [] : [value]));
}

/** What a collector of traces knows them by. */
function traceIdOf(traceParent: string | null): string | null {
  return traceParent?.split('-')[1] ?? null;
}

function text(number: bigint | null): string | null {
  return number === null ? null : String(number);
}

import type { Database } from '../../../platform/database/database.ts';
import { findSubject } from './findSubject.ts';
import { readEvents } from './readEvents.ts';
import { readIndex } from './readIndex.ts';
import { readInputs } from './readInputs.ts';
import { readRecords } from './readRecords.ts';
import { readTransactions } from './readTransactions.ts';

export type Trace = Awaited<ReturnType<typeof readTrace>>;

/**
 * Everything about one id, from the asker to the notified receivers: records with their principals, outbox
 * transactions with every signed form, their data in the index, inputs, events and deliveries. Without
 * payloads and secrets.
 *
 * @throws AdministrationError if nothing has this id.
 */
export async function readTrace(database: Database, id: string) {
  const subject = await findSubject(database, id);
  // A record's trace covers its deployment and its whole history.
  const isWhole = subject.kind === 'record';
  // An event's record is only its place, not the subject of the request.
  const named = subject.eventIds.length > 0 ? [] : subject.recordIds;
  const foundInputs = await readInputs(database, {
    ids: subject.inputIds,
    transactionIds: subject.transactionIds,
    recordIds: isWhole ? subject.recordIds : [],
  });
  const foundRecords = await readRecords(database, {
    ids: compact([...subject.recordIds, ...foundInputs.map(({ recordId }) => recordId)]),
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
  const foundEvents = await readEvents(database, {
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
    events: foundEvents,
  };
}

function compact<Value>(values: readonly (Value | null)[]): Value[] {
  return [...new Set(values)].flatMap((value) => (value === null ? [] : [value]));
}

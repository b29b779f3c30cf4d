import { and, eq, inArray, or } from 'drizzle-orm';
import type { Hex } from 'viem';
import type { Database } from '../../../platform/database/database.ts';
import { events } from '../../../platform/database/tables/events.ts';
import { inputs } from '../../../platform/database/tables/inputs.ts';
import { records } from '../../../platform/database/tables/records.ts';
import { transactionAttempts, transactions } from '../../../platform/database/tables/transactions.ts';
import { deliveries } from '../../../platform/database/tables/webhooks.ts';
import { chains } from '../../../protocol/chains.ts';
import { AdministrationError } from '../../../records/principals/administrationError.ts';

/** The things that an id leads to; the trace shows all of them. */
export type Subject = {
  readonly kind: string;
  readonly recordIds: readonly string[];
  readonly inputIds: readonly string[];
  readonly transactionIds: readonly string[];
  readonly eventIds: readonly string[];
};

/** All chains: an index that begins with the chain serves the search. */
const chainIds = chains.map(({ chainId }) => chainId);

const nothing = { recordIds: [], inputIds: [], transactionIds: [], eventIds: [] };

/**
 * Finds what an id names: a record, an input, an outbox transaction, an event or a delivery by its prefix; a
 * transaction by the hash of any of its signed forms; or a permit by its digest.
 *
 * @throws AdministrationError if nothing has this id.
 */
export async function findSubject(database: Database, id: string): Promise<Subject> {
  const subject = isHash(id) ? await findByHash(database, id) : await findByName(database, id);
  if (subject) return subject;
  throw new AdministrationError(
    `There is no record, input, transaction, event, delivery, transaction hash or permit digest ${id}.`,
  );
}

function isHash(id: string): id is Hex {
  return /^0x[0-9a-f]{64}$/i.test(id);
}

async function findByName(database: Database, id: string): Promise<Subject | undefined> {
  const prefix = id.slice(0, id.indexOf('_'));
  if (prefix === 'agr') {
    const [record] = await database.select({ id: records.id }).from(records).where(eq(records.id, id));
    return record && { ...nothing, kind: 'record', recordIds: [id] };
  }
  if (prefix === 'inp') {
    const [input] = await database.select().from(inputs).where(eq(inputs.id, id));
    if (!input) return undefined;
    const transactionIds = input.transactionId === null ? [] : [input.transactionId];
    return { ...nothing, kind: 'input', inputIds: [id], transactionIds };
  }
  if (prefix === 'txn') {
    const [row] = await database
      .select({ id: transactions.id })
      .from(transactions)
      .where(eq(transactions.id, id));
    return row && { ...nothing, kind: 'transaction', transactionIds: [id] };
  }
  if (prefix === 'evt') return findEvent(database, id, 'event');
  if (prefix !== 'dlv') return undefined;
  const [delivery] = await database.select().from(deliveries).where(eq(deliveries.id, id));
  return delivery && findEvent(database, delivery.eventId, 'delivery');
}

async function findEvent(database: Database, id: string, kind: string): Promise<Subject | undefined> {
  const [event] = await database.select().from(events).where(eq(events.id, id));
  if (!event) return undefined;
  const { txHash } = event;
  const caused = txHash === null ? undefined : await findByHash(database, txHash);
  const recordIds = event.recordId === null ? [] : [event.recordId];
  // Of one transaction's agreements and inputs, those of the event's own record.
  const own =
    txHash === null
      ? []
      : await database
          .select({ id: inputs.id, recordId: inputs.recordId })
          .from(inputs)
          .where(eq(inputs.txHash, txHash));
  const inputIds = own.filter(({ recordId }) => recordId === event.recordId).map((input) => input.id);
  return { kind, recordIds, inputIds, transactionIds: caused?.transactionIds ?? [], eventIds: [id] };
}

async function findByHash(database: Database, given: Hex): Promise<Subject | undefined> {
  const hash: Hex = `0x${given.slice(2).toLowerCase()}`;
  const [attempts, rows, effects, deployed] = await Promise.all([
    database
      .select({ id: transactionAttempts.transactionId })
      .from(transactionAttempts)
      .where(and(inArray(transactionAttempts.chainId, chainIds), eq(transactionAttempts.txHash, hash))),
    database
      .select({ id: transactions.id, permitDigest: transactions.permitDigest })
      .from(transactions)
      .where(
        or(
          eq(transactions.txHash, hash),
          and(inArray(transactions.chainId, chainIds), eq(transactions.permitDigest, hash)),
        ),
      ),
    database.select({ id: inputs.id }).from(inputs).where(eq(inputs.txHash, hash)),
    database.select({ id: records.id }).from(records).where(eq(records.deployTxHash, hash)),
  ]);
  const signed = attempts.flatMap(({ id }) => (id === null ? [] : [id]));
  const transactionIds = [...new Set([...signed, ...rows.map(({ id }) => id)])];
  const [inputIds, recordIds] = [effects, deployed].map((found) => found.map(({ id }) => id));
  const isDigest = rows.some(({ permitDigest }) => permitDigest === hash);
  const kind = isDigest ? 'permit digest' : 'transaction hash';
  const isAny = transactionIds.length + effects.length + deployed.length + attempts.length > 0;
  return isAny
    ? { ...nothing, kind, transactionIds, inputIds: inputIds ?? [], recordIds: recordIds ?? [] }
    : undefined;
}

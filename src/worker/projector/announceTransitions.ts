import { sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import type { Queryable } from '../../platform/database/database.ts';
import type { NotNull, RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf, idsOf } from '../../platform/database/statements.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { deploymentIdentity, type EventIds, transitionIdentity } from '../../records/events/eventIds.ts';
import {
  type AnnouncedRecord,
  blockOrderOf,
  deployInputId,
  type TransitionFact,
} from '../../records/events/transitionFact.ts';
import { fireTransitionRules, type Omitted } from '../notifier/fireTransitionRules.ts';
import { storeEvents } from '../publisher/storeEvents.ts';
import { buildTransitionEvents } from '../publisher/transitionEvents.ts';
import { type AdoptionBorder, findAdoptedInputs, readBorder } from './adoptedHistory.ts';
import { isFirstFold } from './announcedSince.ts';
import type { DocumentLookup } from './documentCache.ts';
import type { ExtendedRecord } from './extendHistories.ts';
import type { MinedInput } from './history.ts';
import type { OwnInput } from './ownInputs.ts';
import type { FoldedRecord } from './storedHistories.ts';

export type Announcements = {
  /** Records that this fold made Deployed, before their first input. */
  deployed: readonly FoldedRecord[];
  /** The records, each with its new inputs. */
  extended: readonly ExtendedRecord[];
  /** Inputs that were submitted by the records' principals. */
  submissions: readonly OwnInput[];
  documents: DocumentLookup;
  eventIds: EventIds;
  /** Unix seconds: what is earlier is history, unless its block is folded for the first time. */
  announcedSince: bigint | undefined;
};

/**
 * Stores the events of deployments and of inputs that changed a state, and the rules' notifications about
 * them, together with the new states. History is announced to nobody: transitions that were folded before and are too old to tell
 * whether they have been announced, or from before an agreement's adoption. A submission of the record's principal is never from before the adoption, even if a reorg
 * puts it into an earlier block. A transition that has an event already is announced in any case.
 *
 * @returns the number of events that rules did not cause because of quotas.
 */
export async function announceTransitions(
  transaction: Queryable,
  { deployed, extended, submissions, documents, eventIds, announcedSince }: Announcements,
): Promise<Omitted> {
  const changed = extended.filter(({ mined }) => mined.some(({ sequence }) => sequence !== null));
  const announcedOf = await readAnnounced(transaction, [...deployed, ...changed]);
  const own = new Set(submissions.map(({ recordId, position }) => placeOf(recordId, position)));
  const adopted = await findAdoptedInputs(
    transaction,
    changed.map(({ id, mined }) => ({ recordId: id, mined, border: announcedOf({ id }).border })),
  );
  const described: Described[] = [];
  for (const record of deployed) {
    const fact = describeDeployment(announcedOf(record), { record, documents, eventIds });
    if (fact) described.push({ fact, isPast: false, isFirst: isFirstFold(record, fact.blockNumber) });
  }
  for (const record of changed) {
    described.push(...describeTransitions(announcedOf(record), { record, own, adopted, eventIds }));
  }
  const isHistory = ({ fact, isPast, isFirst }: Described) =>
    isPast || (!isFirst && announcedSince !== undefined && fact.blockTimestamp < announcedSince);
  const stored = await findStoredEvents(
    transaction,
    described.filter(isHistory).map(({ fact }) => fact.eventId),
  );
  const facts = described.flatMap((one) =>
    isHistory(one) && !stored.has(one.fact.eventId) ? [] : [one.fact],
  );
  if (facts.length === 0) return new Map();
  const createdAt = new Date();
  await storeEvents(transaction, buildTransitionEvents(facts, createdAt));
  const loud = facts.filter(({ isSilent }) => !isSilent);
  return fireTransitionRules(transaction, { facts: loud, eventIds, createdAt });
}

/**
 * A transition, whether it is from before an adoption, and whether its block is folded for the first time. History is announced only
 * if it has an event already.
 */
type Described = { fact: TransitionFact; isPast: boolean; isFirst: boolean };

async function findStoredEvents(
  transaction: Queryable,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const which = sql`select id from service.events where id = any(${arrayOf(ids)}::text[])`;
  return new Set(await idsOf(transaction, which));
}

/** The stored data of a record that its events contain or depend on. */
type Announced = {
  record: AnnouncedRecord;
  /** Null if the agreement was adopted instead of deployed here. */
  deployTransactionId: string | null;
  deployTxHash: Hex;
  border: AdoptionBorder | null;
};

function describeDeployment(
  { record: announced, deployTransactionId, deployTxHash }: Announced,
  { record, documents, eventIds }: { record: FoldedRecord; documents: DocumentLookup; eventIds: EventIds },
): TransitionFact | null {
  if (deployTransactionId === null) return null;
  const { history, docHash } = record;
  const { id: recordId, principalId, chainId } = announced;
  const place = { chainId, recordId, transactionHash: deployTxHash };
  return {
    record: announced,
    eventId: eventIds.ofDeployment({ principalId, ...place }),
    transactionIdentity: deploymentIdentity(place),
    fromState: '',
    toState: documents(docHash).nameState(history.stateHash),
    inputId: deployInputId,
    sequence: 0,
    txHash: deployTxHash,
    blockNumber: history.stateBlockNumber,
    blockTimestamp: history.stateTimestamp,
    blockOrder: blockOrderOf(0),
    variables: history.variables,
    submitted: {},
    isSilent: false,
  };
}

function describeTransitions(
  { record: announced }: Announced,
  {
    record,
    own,
    adopted,
    eventIds,
  }: {
    record: ExtendedRecord;
    own: ReadonlySet<string>;
    adopted: ReadonlySet<MinedInput>;
    eventIds: EventIds;
  },
): Described[] {
  const { principalId, chainId } = announced;
  const { agreement } = record.history;
  const inBlock = new Map<bigint, number>();
  return record.mined.flatMap((input): Described[] => {
    const { sequence, txHash, transactionOrdinal: ordinal, blockNumber } = input;
    if (sequence === null) return [];
    // A record always gets all inputs of a block in one fold.
    const number = (inBlock.get(blockNumber) ?? 0) + 1;
    inBlock.set(blockNumber, number);
    const place = { chainId, agreement, transactionHash: txHash, ordinal };
    const { fromState, toState, inputId, blockTimestamp, variables, values: submitted } = input;
    const fact = {
      record: announced,
      eventId: eventIds.ofTransition({ principalId, ...place }),
      transactionIdentity: transitionIdentity(place),
      ...{ fromState, toState, inputId, sequence, txHash, blockNumber, blockTimestamp, variables, submitted },
      blockOrder: blockOrderOf(number),
      isSilent: record.silent.has(input.position),
    };
    const isPast = adopted.has(input) && !own.has(placeOf(record.id, input.position));
    return [{ fact, isPast, isFirst: isFirstFold(record, blockNumber) }];
  });
}

function placeOf(recordId: string, position: number): string {
  return `${recordId} ${position}`;
}

type Row = RowOf<
  typeof records,
  | 'id'
  | 'principal_id'
  | 'chain_id'
  | 'display_name'
  | 'template_id'
  | 'participants'
  | 'observers'
  | 'notification_template'
  | 'deploy_transaction_id'
  | 'adopted_through'
  | 'adopted_final'
> &
  NotNull<RowOf<typeof records, 'deploy_tx_hash'>>;

async function readAnnounced(
  transaction: Queryable,
  records: readonly FoldedRecord[],
): Promise<(record: Pick<FoldedRecord, 'id'>) => Announced> {
  const ids = [...new Set(records.map(({ id }) => id))];
  const found = new Map<string, Announced>();
  if (ids.length > 0) {
    const { rows } = await transaction.execute<Row>(sql`
      select id, principal_id, chain_id, display_name, template_id, participants, observers, notification_template,
        deploy_transaction_id, deploy_tx_hash, adopted_through::text, adopted_final::text
      from service.records
      where id = any(${arrayOf(ids)}::text[])`);
    for (const row of rows) found.set(row.id, buildAnnounced(row));
  }
  return ({ id }) => {
    const announced = found.get(id);
    if (!announced) throw new Error(`The record ${id} is gone.`);
    return announced;
  };
}

function buildAnnounced(row: Row): Announced {
  return {
    record: {
      id: row.id,
      principalId: row.principal_id,
      chainId: row.chain_id,
      displayName: row.display_name,
      templateId: row.template_id,
      participants: row.participants,
      observers: row.observers,
      notificationTemplate: row.notification_template,
    },
    deployTransactionId: row.deploy_transaction_id,
    deployTxHash: row.deploy_tx_hash,
    border: readBorder(row),
  };
}

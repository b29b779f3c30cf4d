import type { Queryable } from '../../platform/database/database.ts';
import { faultPoint } from '../../platform/supervision/faultPoint.ts';
import { createPace } from '../../platform/turns/pace.ts';
import type { EventIds } from '../../records/events/eventIds.ts';
import type { TransitionFact } from '../../records/events/transitionFact.ts';
import {
  buildFirings,
  type NewFiring,
  type Occurrence,
  passOnVariables,
} from '../../records/rules/buildFirings.ts';
import { findMismatch } from '../../records/rules/matchTransition.ts';
import { type ReadRules, readRules } from '../../records/rules/notificationTemplate.ts';
import { occasionOfTransition } from '../../records/rules/occasion.ts';
import { storeEvents } from '../publisher/storeEvents.ts';
import { createDailyAllowance } from './dailyAllowance.ts';
import { storeFirings } from './storeFirings.ts';

/** How many events rules did not cause, because a quota of the day was used up, by record. */
export type Omitted = ReadonlyMap<string, number>;

/**
 * Stores the notifications of the rules for these transitions, in the transaction that stores the states:
 * webhook events after those of the transitions, and mails. All of them wait for the confirmations of the
 * blocks. Beyond the quotas of events of the day and their bytes, rules cause no events. Works on one transition after
 * the other, to hold only one transition's notifications in memory.
 *
 * @returns the number of events that are omitted so, by record.
 */
export async function fireTransitionRules(
  transaction: Queryable,
  { facts, eventIds, createdAt }: { facts: readonly TransitionFact[]; eventIds: EventIds; createdAt: Date },
): Promise<Omitted> {
  const known = new Map<string | null, ReadRules>();
  const pace = createPace();
  const mailAllowance = createDailyAllowance(transaction, 'mailsPerDay');
  const eventAllowance = createDailyAllowance(transaction, 'eventsPerDay');
  const byteAllowance = createDailyAllowance(transaction, 'eventBytesPerDay');
  const omitted = new Map<string, number>();
  for (const fact of facts) {
    await pace.breathe();
    const { notificationTemplate: text } = fact.record;
    const rules = known.get(text) ?? readRules(text);
    known.set(text, rules);
    const occurrences = listOccurrences(fact, rules);
    const [first, ...others] = occurrences;
    if (!first) continue;
    const common = { eventIds, createdAt, variables: passOnVariables([first, ...others], fact.submitted) };
    const built = occurrences.flatMap((occurrence) => buildFirings(occurrence, common));
    const counted = await eventAllowance.take(built.filter(({ event }) => event !== null));
    const webhooks = new Set(await byteAllowance.take(counted, createEventScales()));
    const firings = built.filter((firing) => firing.event === null || webhooks.has(firing));
    const count = built.length - firings.length;
    if (count > 0) omitted.set(fact.record.id, (omitted.get(fact.record.id) ?? 0) + count);
    const { blockNumber, txHash } = fact;
    const { chainId } = fact.record;
    const stored = await storeFirings(transaction, firings, { chainId, txHash, blockNumber, mailAllowance });
    faultPoint('afterFiringWrite');
    const events = stored.flatMap(({ event }) => event ?? []);
    await storeEvents(
      transaction,
      events.map((event, at) => ({ ...event, blockNumber, txHash, blockOrder: fact.blockOrder + 1 + at })),
    );
  }
  return omitted;
}

/** Weighs firings by the UTF-8 bytes that their events add to the database: each shared part once. */
function createEventScales(): (firing: NewFiring) => number {
  const weighed = new Set<string>();
  return ({ event }) => {
    if (!event) return 0;
    const parts = event.parts ? [event.parts.notification, event.parts.variables] : [];
    const added = parts.filter(({ id }) => !weighed.has(id));
    for (const { id } of added) weighed.add(id);
    return [event.body, ...added.map(({ text }) => text)].reduce(
      (sum, text) => sum + Buffer.byteLength(text),
      0,
    );
  };
}

/** The rules that a transition triggers. */
function listOccurrences(fact: TransitionFact, { templateId, rules }: ReadRules): Occurrence[] {
  const { record, fromState, toState, inputId, variables, blockTimestamp } = fact;
  const transition = { fromState, toState, inputId };
  return rules.flatMap((rule) => {
    const { trigger } = rule;
    if (trigger.type !== 'onTransition' || findMismatch(trigger, transition) !== undefined) return [];
    const occasion = occasionOfTransition(fact.transactionIdentity);
    const occurredAt = new Date(toMilliseconds(blockTimestamp)).toISOString();
    return [{ rule, templateId, record, occasion, transition, occurredAt, variables }];
  });
}

/** The latest moment in JavaScript; a chain may claim any time. */
const lastMs = 8_640_000_000_000_000n;

export function toMilliseconds(seconds: bigint): number {
  const ms = seconds * 1_000n;
  return Number(ms > lastMs ? lastMs : ms);
}

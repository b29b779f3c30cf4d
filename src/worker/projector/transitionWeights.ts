import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { NotNull, RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf } from '../../platform/database/statements.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { createPace } from '../../platform/turns/pace.ts';
import { findMismatch } from '../../records/rules/matchTransition.ts';
import {
  allObservers,
  allParticipants,
  type ReadRules,
  readRules,
} from '../../records/rules/notificationTemplate.ts';
import type { MinedInput } from './history.ts';

/** The most rows of notifications and schedules that an input of a record may cause; undefined without rules. */
export type TransitionWeights = (recordId: string) => ((input: MinedInput) => number) | undefined;

type Row = RowOf<typeof records, 'id'> &
  NotNull<RowOf<typeof records, 'notification_template' | 'adopted_through'>> & {
    participants: number;
    observers: number;
  };

/** Reads the rules of these records. Inputs that were final at an adoption are announced to nobody. */
export async function readTransitionWeights(
  transaction: Queryable,
  ids: readonly string[],
): Promise<TransitionWeights> {
  const weighers = new Map<string, (input: MinedInput) => number>();
  if (ids.length > 0) {
    const { rows } = await transaction.execute<Row>(sql`
      select id, notification_template, json_array_length(participants) as participants,
        json_array_length(observers) as observers, coalesce(adopted_final, adopted_through, -1)::text as adopted_through
      from service.records where id = any(${arrayOf(ids)}::text[]) and notification_template is not null`);
    const known = new Map<string, ReadRules>();
    const pace = createPace();
    for (const row of rows) {
      const { notification_template: text } = row;
      const rules = known.get(text) ?? readRules(text);
      known.set(text, rules);
      weighers.set(row.id, weigherOf(row, rules));
      await pace.breathe();
    }
  }
  return (id) => weighers.get(id);
}

function weigherOf(
  { participants, observers, adopted_through: adoptedThrough }: Row,
  { rules }: ReadRules,
): (input: MinedInput) => number {
  const sizeOf = (recipient: string) =>
    recipient === allParticipants ? participants : recipient === allObservers ? observers : 1;
  const weighed = rules.map((rule) => ({
    rule,
    recipients: rule.recipients.reduce((sum, recipient) => sum + sizeOf(recipient), 0),
  }));
  return (input) => {
    if (input.sequence === null) return 0;
    const isAnnounced = input.blockNumber > BigInt(adoptedThrough);
    return weighed.reduce((sum, { rule, recipients }) => {
      if (rule.trigger.type === 'temporal') return sum + 1;
      return isAnnounced && findMismatch(rule.trigger, input) === undefined ? sum + recipients : sum;
    }, 0);
  };
}

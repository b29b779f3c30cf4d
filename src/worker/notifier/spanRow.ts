import type { RowOf } from '../../platform/database/rowOf.ts';
import type { ruleSchedules } from '../../platform/database/tables/rules.ts';
import type { RuleSpan } from './followSpans.ts';

export type SpanRow = RowOf<
  typeof ruleSchedules,
  | 'record_id'
  | 'rule_id'
  | 'stay'
  | 'span'
  | 'state'
  | 'from_state'
  | 'input_id'
  | 'entered_ms'
  | 'since_ms'
  | 'since_block'
  | 'until_ms'
  | 'date'
  | 'starts_ms'
  | 'ends_ms'
  | 'interval_ms'
  | 'next_number'
>;

export function spanOf(row: SpanRow): RuleSpan {
  return {
    ruleId: row.rule_id,
    stay: row.stay,
    span: row.span,
    state: row.state,
    fromState: row.from_state,
    inputId: row.input_id,
    enteredMs: Number(row.entered_ms),
    sinceMs: Number(row.since_ms),
    sinceBlock: BigInt(row.since_block),
    date: row.date,
    startsMs: numberOf(row.starts_ms),
    endsMs: numberOf(row.ends_ms),
    intervalMs: numberOf(row.interval_ms),
  };
}

export function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}

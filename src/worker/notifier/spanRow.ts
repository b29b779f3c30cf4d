import type { RuleSpan } from './followSpans.ts';

/** A row of `rule_schedules`. */
export type SpanRow = {
  record_id: string;
  rule_id: string;
  stay: string;
  span: string;
  state: string;
  from_state: string;
  input_id: string;
  entered_ms: string;
  since_ms: string;
  since_block: string;
  until_ms: string | null;
  date: string | null;
  starts_ms: string | null;
  ends_ms: string | null;
  interval_ms: string | null;
  next_number: string;
};

/** A span as it is stored. */
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

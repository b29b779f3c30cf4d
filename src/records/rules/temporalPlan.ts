import { shortestIntervalMs, toDurationMs } from './duration.ts';
import type { TemporalTrigger } from './notificationTemplate.ts';

/**
 * When a rule of time fires during one span: at `startsMs`, and every `intervalMs` after it, until `endsMs`
 * inclusive. Times in Unix milliseconds. Derived from chain and document only, so that planning always gives
 * the same result.
 */
export type TemporalPlan = {
  readonly startsMs: number | null;
  readonly endsMs: number | null;
  /** Null for a rule that fires once. */
  readonly intervalMs: number | null;
};

/** Part of a stay in a state: when the stay began, and when the variables got their values. */
export type Span = { readonly enteredMs: number; readonly sinceMs: number; readonly date: string | null };

const defaultIntervalMs = 86_400_000;

/** The reason in `TemporalPlan` why a rule does not fire in a span: its date is invalid. */
const never: TemporalPlan = { startsMs: null, endsMs: null, intervalMs: null };

export function planTemporal(trigger: TemporalTrigger, span: Span): TemporalPlan {
  const { condition } = trigger;
  const thresholdMs = toDurationMs(condition.threshold);
  const intervalMs = intervalOf(trigger);
  if (condition.type === 'stateAge')
    return { startsMs: span.enteredMs + thresholdMs, endsMs: null, intervalMs };
  const dateMs = parseDate(span.date);
  if (dateMs === undefined) return never;
  if (condition.type === 'elapsedSinceVariable')
    return { startsMs: Math.max(dateMs + thresholdMs, span.sinceMs), endsMs: null, intervalMs };
  const startsMs = Math.max(dateMs - thresholdMs, span.sinceMs);
  // A date that was already past never approaches.
  return startsMs > dateMs ? never : { startsMs, endsMs: dateMs, intervalMs };
}

/** The time between two firings of a rule within one span; null for a rule that fires once. */
export function intervalOf({ checkInterval, fireOnce }: TemporalTrigger): number | null {
  const askedMs = checkInterval ? toDurationMs(checkInterval) : defaultIntervalMs;
  return fireOnce ? null : Math.max(askedMs, shortestIntervalMs);
}

/**
 * The number and start of the last interval that has begun by `nowMs`; of missed intervals only this one
 * counts. Undefined if none has begun since `nextNumber`.
 */
export function findDue(
  { startsMs, endsMs, intervalMs }: TemporalPlan,
  { nowMs, untilMs, nextNumber }: { nowMs: number; untilMs: number | null; nextNumber: number },
): { number: number; dueMs: number } | undefined {
  if (startsMs === null) return undefined;
  const lastMs = Math.min(
    nowMs,
    endsMs ?? Number.POSITIVE_INFINITY,
    untilMs === null ? Number.POSITIVE_INFINITY : untilMs - 1,
  );
  if (lastMs < startsMs) return undefined;
  const number = intervalMs === null ? 0 : Math.floor((lastMs - startsMs) / intervalMs);
  return number < nextNumber ? undefined : { number, dueMs: startsMs + number * (intervalMs ?? 0) };
}

/** The text of the rule's date; null if the rule has none, or the variable has no value. */
export function dateOf(
  { condition }: TemporalTrigger,
  variables: Readonly<Record<string, unknown>>,
): string | null {
  if (condition.type === 'stateAge') return null;
  const value = Object.hasOwn(variables, condition.variable) ? variables[condition.variable] : undefined;
  // The submitted value may be anything: text of any length, and text that cannot be stored.
  return typeof value === 'string' && parseDate(value) !== undefined ? value : null;
}

const datePattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** An ISO 8601 date or time in Unix milliseconds; without a time it is midnight, without a zone UTC. */
export function parseDate(text: string | null): number | undefined {
  const [, day, time = '00:00', zone = 'Z'] = datePattern.exec(text?.trim() ?? '') ?? [];
  if (day === undefined) return undefined;
  const offset = zone.toUpperCase().replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');
  const dateMs = Date.parse(`${day}T${time}${offset}`);
  // There is no 30 February, but the parser may read it as a day in March.
  const isDay = new Date(`${day}T00:00Z`).toJSON()?.startsWith(day) ?? false;
  return Number.isNaN(dateMs) || !isDay ? undefined : dateMs;
}

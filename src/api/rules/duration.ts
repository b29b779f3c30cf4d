const unitMs = {
  seconds: 1_000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
  weeks: 604_800_000,
} as const;

export const durationUnits = ['seconds', 'minutes', 'hours', 'days', 'weeks'] as const;

/** A length of time as rules are written; a day has 24 hours. */
export type Duration = { readonly value: number; readonly unit: (typeof durationUnits)[number] };

/** The same in whole milliseconds. */
export function toDurationMs({ value, unit }: Duration): number {
  return Math.round(value * unitMs[unit]);
}

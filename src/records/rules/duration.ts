import { z } from '@hono/zod-openapi';

const unitMs = {
  seconds: 1_000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
  weeks: 604_800_000,
} as const;

export const durationUnits = ['seconds', 'minutes', 'hours', 'days', 'weeks'] as const;

/** A duration as written in rules; a day has 24 hours. */
export type Duration = { readonly value: number; readonly unit: (typeof durationUnits)[number] };

export const durationShape = z.strictObject({
  value: z.number().nonnegative(),
  unit: z.enum(durationUnits),
});

export function toDurationMs({ value, unit }: Duration): number {
  return Math.round(value * unitMs[unit]);
}

/**
 * The shortest interval of a rule of time for one recipient. A shorter request gets this interval and a
 * warning.
 */
export const shortestIntervalMs = 60_000;

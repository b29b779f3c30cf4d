import { z } from 'zod';

type Bounds = { least?: number; most?: number; digits?: number; error?: string };

/** @param bounds `error` replaces the texts of all refusals. */
export function wholeNumber({ least = 0, most = Infinity, digits = 9, error }: Bounds = {}) {
  return z
    .string()
    .regex(new RegExp(`^\\d{1,${digits}}$`), error ?? 'expected a whole number')
    .transform(Number)
    .refine((value) => value >= least, error ?? `expected ${least} or more`)
    .refine((value) => value <= most, error ?? `expected at most ${most}`);
}

/** The longest time of a timer; a longer one would end at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** Whole seconds, as milliseconds. */
export function seconds(initial: number, bounds?: Bounds) {
  return wholeNumber(bounds)
    .default(initial)
    .transform((value) => value * 1_000);
}

export function port({ least = 0, error = 'expected a port' } = {}) {
  return wholeNumber({ least, most: 65_535, digits: 5, error });
}

/** @param protocols each with its colon. */
export function urlOf(protocols: readonly string[], { missing = 'is required', needsHost = false } = {}) {
  return z.string({ error: missing }).refine(
    (text) => {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      return url && protocols.includes(url.protocol) && !(needsHost && url.hostname === '');
    },
    `expected a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  );
}

export const httpUrl = urlOf(['http:', 'https:']);

/** Whether user and password of a URL can be decoded, as they are before they are sent. */
export function hasReadableCredentials(text: string): boolean {
  // Another check names what is no URL.
  if (!URL.canParse(text)) return true;
  const { username, password } = new URL(text);
  try {
    for (const part of [username, password]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

export function list(separator?: RegExp) {
  return z.string().transform((text) => listOf(text, separator));
}

/** The items without surrounding white space; empty ones do not count. */
export function listOf(text = '', separator = /,/): string[] {
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

export function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

import { useEffect, useState } from 'preact/hooks';
import { language } from '../texts/texts.ts';

const exact = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'long' });
const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
const clock = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'narrow' });

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

type TimeProps = { readonly at: string | undefined; readonly form?: 'age' | 'clock' };

/** A moment in the reader's zone, as its age or as a time; the exact one on hover. */
export function Time({ at, form = 'age' }: TimeProps) {
  const now = useNow(form === 'age');
  if (at === undefined) return <span class="soft">–</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={exact.format(date)}>
      {form === 'clock' ? clock.format(date) : writeAge(date, now)}
    </time>
  );
}

function writeAge(date: Date, now: number): string {
  const seconds = Math.round((date.getTime() - now) / 1_000);
  if (Math.abs(seconds) > 14 * 86_400) return day.format(date);
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / size), unit);
}

const listeners = new Set<(now: number) => void>();
setInterval(() => {
  const now = Date.now();
  for (const tell of listeners) tell(now);
}, 10_000);

/** The current time, updated every ten seconds. */
function useNow(isWanted: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isWanted) return undefined;
    listeners.add(setNow);
    return () => void listeners.delete(setNow);
  }, [isWanted]);
  return Math.max(now, 0);
}

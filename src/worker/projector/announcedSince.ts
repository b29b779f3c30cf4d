import { sql } from 'drizzle-orm';
import type { IndexPosition } from './indexPosition.ts';

const daySeconds = 86_400n;

/**
 * What is older may have been announced before, by events that were removed since: only a block that is folded for the first time
 * is announced at any age. Unix seconds; undefined if all events are kept. Counts back from the chain's head, because local
 * chains may have any time, but never from a head in the future.
 */
export function findAnnouncedSince(
  { head, now }: Pick<IndexPosition, 'head' | 'now'>,
  keptDays: number | null,
): bigint | undefined {
  if (!head || keptDays === null) return undefined;
  return (head.timestamp < now ? head.timestamp : now) - BigInt(keptDays) * daySeconds;
}

/**
 * SQL: the last block of `record` that a fold has announced, or kept silent. A record that could not begin yet, or not go on
 * yet, shows the block of its deployment, but nothing of that was announced, or not its inputs.
 */
export const announcedThrough = sql`greatest(record.announced_through, case when not (record.behind and record.input_count = 0)
  and not exists (select 1 from service.quarantined_records where record_id = record.id and phase = 'begin')
  then record.state_block_number end)`;

/** Whether no earlier fold of its record has announced this block, or kept it silent. */
export function isFirstFold(
  { announcedThrough }: { announcedThrough: bigint | null },
  blockNumber: bigint,
): boolean {
  return announcedThrough === null || blockNumber > announcedThrough;
}

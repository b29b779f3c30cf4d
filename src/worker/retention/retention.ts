import type pg from 'pg';
import type { Logger } from 'pino';
import { withTransaction } from '../../platform/database/withTransaction.ts';
import {
  noOldRows,
  type OldRows,
  oldRowKinds,
  removeOldEvents,
  removeOldFirings,
  removeOldParts,
  removeOldRules,
} from '../../records/retention/oldRows.ts';
import { createRepeater } from '../leases/repeater.ts';

export type RetentionOptions = {
  /** Takes one connection from it, for a moment at a time. */
  pool: pg.Pool;
  /** Older rows are removed. */
  keptDays: number;
  onRemoved?(rows: OldRows): void;
  logger: Logger;
  /** The pause between two checks without old rows, and between two steps. */
  lookMs?: number;
  stepMs?: number;
};

/** Any constant works: under this lock one worker at a time removes rows. */
const retentionLock = 0x6f6c64;
const tryLock = 'select pg_try_advisory_xact_lock($1) as held, now()';
/** Small, so that each statement is quick and holds its locks briefly. */
const rowsAtOnce = 500;
/** A rest is at least this many times as long as its step. */
const restShare = 3;
const dayMs = 86_400_000;

/**
 * Removes old events, deliveries, attempts, mails, firings and schedules of rules, a little at a time, until it is
 * closed. Records are kept permanently.
 */
export function createRetention(options: RetentionOptions): { close(): Promise<void> } {
  const { pool, keptDays, onRemoved, logger, lookMs = 600_000, stepMs = 250 } = options;
  let isMore = false;
  let workedMs = 0;

  const step = async () => {
    const startedAt = performance.now();
    const removed = { ...noOldRows };
    const failures: unknown[] = [];
    // Each in a transaction, so that a failed one does not keep the others from removing rows.
    for (const remove of [removeOldEvents, removeOldParts, removeOldRules, removeOldFirings]) {
      const removing = withTransaction(pool, async (client) => {
        const { rows } = await client.query<{ held: boolean; now: Date }>(tryLock, [retentionLock]);
        const [lock] = rows;
        if (!lock?.held) return noOldRows;
        // The earlier of two clocks: one that is far ahead must not remove what is new.
        const now = Math.min(Date.now(), lock.now.getTime());
        return remove(client, { before: new Date(now - keptDays * dayMs), limit: rowsAtOnce });
      });
      const rows = await removing.catch((error: unknown) => void failures.push(error));
      for (const kind of oldRowKinds) removed[kind] += rows?.[kind] ?? 0;
    }
    workedMs = performance.now() - startedAt;
    isMore = Math.max(...Object.values(removed)) >= rowsAtOnce;
    if (Object.values(removed).some((count) => count > 0)) {
      logger.debug(removed, 'removed old rows');
      onRemoved?.(removed);
    }
    if (failures.length > 0) throw failures[0];
  };

  const repeater = createRepeater({
    what: 'removing what is old',
    work: step,
    // A step may pass over many rows that are kept.
    pauseMs: () => (isMore ? Math.max(stepMs, restShare * workedMs) : lookMs),
    logger,
  });
  repeater.wake();
  return { close: () => repeater.close() };
}

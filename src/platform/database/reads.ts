import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { ServiceError } from '../errors/serviceError.ts';
import { isStatementEnded } from './isStatementEnded.ts';

/** A position in the database's log; undefined for any. */
export type LogPosition = string | undefined;

export type Reads = {
  /** Whether a read may wait for a replica. */
  readonly isFromReplica: boolean;
  /** The database's current position, for later reads to wait for; undefined if nothing has to be waited for. */
  mark(): Promise<LogPosition>;
  /** Asks a source of reads that shows everything up to `after`, and returns the result of `ask`. */
  run<Answer>(after: LogPosition, ask: (pool: pg.Pool) => Promise<Answer>): Promise<Answer>;
};

export function readFromPrimary(primary: pg.Pool): Reads {
  return { isFromReplica: false, mark: async () => undefined, run: (_after, ask) => ask(primary) };
}

/**
 * Who answered a read: the replica; or the primary, because the replica lagged too far, cancelled the query
 * for its replay, refused something that the primary may know, or was away.
 */
export type ReadOutcome = 'replica' | 'late' | 'cancelled' | 'refused' | 'away';

const pollMs = 25;
/** Without this pause, an absent replica would delay each read until its absence is noticed. */
const restMs = 5_000;

/**
 * Reads from a replica. The primary answers if the replica is away, ends a query because of its replay, or
 * lags so far that `waitMs` is not enough. The primary also repeats refusals: data missing in the replica may
 * only be late.
 */
export function readFromReplica(options: {
  primary: pg.Pool;
  replica: pg.Pool;
  /** How long a read waits for the replica to catch up. */
  waitMs: number;
  /** Called for each read, once it is known who answers it. */
  onRead?: ((outcome: ReadOutcome) => void) | undefined;
  logger: Logger;
}): Reads {
  const { primary, replica, waitMs, onRead = () => {}, logger } = options;
  let restsUntil = 0;
  const isResting = () => performance.now() < restsUntil;
  const examine = (error: unknown): ReadOutcome => {
    if (error instanceof ServiceError) return 'refused';
    logger.warn({ err: error }, 'the read replica did not answer; using the primary');
    if (isReplayConflict(error)) return 'cancelled';
    restsUntil = performance.now() + restMs;
    return 'away';
  };
  const isReplayed = async (position: string): Promise<boolean> => {
    const { rows } = await replica.query<{ is_replayed: boolean }>(
      // A promoted replica has all data.
      `select not pg_is_in_recovery() or pg_last_wal_replay_lsn() >= $1::pg_lsn as is_replayed`,
      [position],
    );
    return rows[0]?.is_replayed === true;
  };
  const awaitReplay = async (position: string): Promise<boolean> => {
    const giveUpAt = performance.now() + waitMs;
    while (!(await isReplayed(position))) {
      if (performance.now() >= giveUpAt) return false;
      await delay(pollMs);
    }
    return true;
  };

  return {
    isFromReplica: true,
    async mark() {
      const { rows } = await primary.query<{ position: string }>(
        'select pg_current_wal_lsn()::text as position',
      );
      return rows[0]?.position;
    },
    async run(after, ask) {
      if (isResting()) {
        onRead('away');
        return ask(primary);
      }
      try {
        if (after === undefined || (await awaitReplay(after))) {
          const answer = await ask(replica);
          onRead('replica');
          return answer;
        }
        onRead('late');
      } catch (error) {
        // The primary would take as long.
        if (isStatementEnded(error)) throw error;
        onRead(examine(error));
      }
      return ask(primary);
    },
  };
}

/** A query blocked the replica's replay. */
const replayConflict = '40001';

function isReplayConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === replayConflict;
}

import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { ServiceError } from '../errors/serviceError.ts';

/** A position in the log of the database; undefined for none that matters. */
export type LogPosition = string | undefined;

/** Where the reads of callers are answered from. */
export type Reads = {
  /** Where the database stands now, to be waited for by later reads; undefined where nothing has to be waited for. */
  mark(): Promise<LogPosition>;
  /** Asks a source of reads that shows everything up to `after`, and answers with what `ask` makes of it. */
  run<Answer>(after: LogPosition, ask: (pool: pg.Pool) => Promise<Answer>): Promise<Answer>;
};

/** Reads from the database itself. */
export function readFromPrimary(primary: pg.Pool): Reads {
  return { mark: async () => undefined, run: (_after, ask) => ask(primary) };
}

/**
 * Who answered a read: the replica; or the primary, since the replica was too far behind, had cancelled the query in favour of its
 * replay, had refused what the primary may know already, or was away.
 */
export type ReadOutcome = 'replica' | 'late' | 'cancelled' | 'refused' | 'away';

const pollMs = 25;
/** A replica that is away would cost each read the time in which that is found out. */
const restMs = 5_000;

/**
 * Reads from a replica, and from the database itself whatever the replica cannot answer: while it is away, where it ends a query
 * in favour of its replay, and where it lags so far behind that `waitMs` are too short for what a read has to show. A refusal is the
 * primary's to make, too: what is not there may only not be there yet.
 */
export function readFromReplica(options: {
  primary: pg.Pool;
  replica: pg.Pool;
  /** How long a read waits for the replica to have come as far as it has to. */
  waitMs: number;
  /** Told of each read, once it is known who answers it. */
  onRead?: ((outcome: ReadOutcome) => void) | undefined;
  logger: Logger;
}): Reads {
  const { primary, replica, waitMs, onRead = () => {}, logger } = options;
  let restsUntil = 0;
  const isResting = () => performance.now() < restsUntil;
  const examine = (error: unknown): ReadOutcome => {
    if (error instanceof ServiceError) return 'refused';
    logger.warn({ err: error }, 'the read replica has not answered: the primary does');
    if (isCancelled(error, replayConflict)) return 'cancelled';
    restsUntil = performance.now() + restMs;
    return 'away';
  };
  const isReplayed = async (position: string): Promise<boolean> => {
    const { rows } = await replica.query<{ is_replayed: boolean }>(
      // One that was made the primary has all that there is.
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
        // The primary would work on it as long.
        if (isCancelled(error, statementTimeout)) throw error;
        onRead(examine(error));
      }
      return ask(primary);
    },
  };
}

/** A query took too long. */
const statementTimeout = '57014';
/** A query was in the way of what the replica had to replay. */
const replayConflict = '40001';

function isCancelled(error: unknown, code: string): boolean {
  return error instanceof pg.DatabaseError && error.code === code;
}

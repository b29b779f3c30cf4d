import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import type { Logger } from 'pino';
import { channels } from '../../platform/database/channels.ts';
import type { Database } from '../../platform/database/database.ts';
import { drizzleOptions } from '../../platform/database/database.ts';
import { listen } from '../../platform/database/listen.ts';
import type { RowAs } from '../../platform/database/rowOf.ts';
import type { ruleSchedules } from '../../platform/database/tables/rules.ts';
import { withTransaction } from '../../platform/database/withTransaction.ts';
import { type ChainClients, clientOf } from '../../platform/nodes/clients.ts';
import { faultPoint } from '../../platform/supervision/faultPoint.ts';
import type { EventIds } from '../../records/events/eventIds.ts';
import { createRepeater, type Repeater } from '../leases/repeater.ts';
import { createEventIdReader } from '../publisher/openEventIds.ts';
import type { ChainClock } from './dueSchedules.ts';
import { type FiredRules, fireDueRules } from './fireDueRules.ts';
import { type ClockedChain, readChainClock } from './readChainClock.ts';

export type RuleRunnerOptions = {
  /** Takes one connection per chain from it while rules fire. */
  pool: pg.Pool;
  /** The database of `pool`, for the listening connection. */
  databaseUrl: string;
  chains: readonly ClockedChain[];
  clients: ChainClients;
  /** How long ago a moment must be before a chain without newer blocks counts as idle. */
  idleMs: number;
  onFired?: ((fired: FiredRules) => void) | undefined;
  logger: Logger;
  /** How often the schedules are polled without a notification. */
  pollIntervalMs?: number;
};

export type RuleRunner = {
  /** Resolves once notifications arrive. */
  ready: Promise<void>;
  close(): Promise<void>;
};

const defaultPollIntervalMs = 5_000;
/** Between batches, so that folds of other chains find the feeds of these principals free. */
const betweenBatchesMs = 50;
/** The limit of Node's timers; a schedule may be years ahead. */
const longestTimerMs = 3_600_000;

/**
 * Fires the rules of time of all chains when they are due, until it is closed. Rules that became due while no
 * process ran fire at once. Any number of processes may do so together. Failures are retried.
 */
export function createRuleRunner(options: RuleRunnerOptions): RuleRunner {
  const { pool, databaseUrl, chains, logger, pollIntervalMs = defaultPollIntervalMs } = options;
  const database = drizzle(pool, drizzleOptions);
  const readEventIds = createEventIdReader(database);
  const watches = chains.map((chain) => createWatch({ ...options, chain, database, readEventIds }));
  const wakeAll = () => {
    for (const watch of watches) watch.wake();
  };
  const listener = listen({
    url: databaseUrl,
    channels: [channels.chainFolded],
    onNotification: (_channel, chainId) => watches.find((watch) => watch.chainId === Number(chainId))?.wake(),
    onConnected: wakeAll,
    logger,
  });
  const timer = setInterval(wakeAll, pollIntervalMs);
  return {
    ready: listener.ready,
    async close() {
      clearInterval(timer);
      await listener.close();
      await Promise.all(watches.map((watch) => watch.close()));
    },
  };
}

type Watch = Repeater & { chainId: number };

/** Checks the schedules of one chain whenever it is woken, and when the next one is due. */
function createWatch({
  pool,
  database,
  chain,
  clients,
  idleMs,
  readEventIds,
  onFired,
  logger: parent,
}: Omit<RuleRunnerOptions, 'chains' | 'databaseUrl'> & {
  database: Database;
  chain: ClockedChain;
  readEventIds(): Promise<EventIds>;
}): Watch {
  const { chainId } = chain;
  const logger = parent.child({ chainId });
  let isClosed = false;
  let pauseMs: number | undefined;

  /** Fires the due rules, and returns when the next schedule is due, in Unix milliseconds. */
  const fireAll = async (): Promise<number | undefined> => {
    const client = clientOf(chainId, { clients });
    let dueMs = await findNextDue(database, { chainId, afterMs: null });
    while (dueMs !== undefined && !isClosed) {
      const clock = await readChainClock(database, { chain, client, idleMs, wantedMs: dueMs });
      if (!clock || clock.nowMs < dueMs) return dueMs;
      await fireRounds(clock);
      // Due rules that may not fire yet must not hold up later ones.
      dueMs = await findNextDue(database, { chainId, afterMs: clock.nowMs });
    }
    return dueMs;
  };

  const fireRounds = async (clock: ChainClock) => {
    const ids = await readEventIds();
    // Round after round over the principals, until none has anything left that may fire.
    let after: string | undefined;
    let inRound = 0;
    for (let isFirst = true; isFirst || after !== undefined || inRound > 0; isFirst = false) {
      if (isClosed) return;
      if (!isFirst) await delay(betweenBatchesMs);
      if (after === undefined) inRound = 0;
      const begin: string | undefined = after;
      const fired: FiredRules = await withTransaction(pool, async (client) => {
        const transaction = drizzle(client, drizzleOptions);
        const common = { chainId, clock, eventIds: ids, createdAt: new Date() };
        const result = await fireDueRules(transaction, { ...common, after: begin });
        faultPoint('beforeRulesCommit');
        return result;
      });
      faultPoint('afterRulesCommit');
      if (fired.firings > 0) logger.debug(fired, 'temporal rules fired');
      onFired?.(fired);
      inRound += fired.schedules;
      after = fired.next;
    }
  };

  const repeater = createRepeater({
    what: 'the temporal rules of a chain',
    async work() {
      const dueMs = await fireAll();
      const inMs = dueMs === undefined ? longestTimerMs : dueMs + idleMs + 1 - Date.now();
      // Rules already due wait for the chain, whose blocks wake this up, as does the poll.
      pauseMs = inMs > 0 ? Math.min(inMs, longestTimerMs) : undefined;
    },
    pauseMs: () => pauseMs,
    logger,
  });
  return {
    chainId,
    wake: repeater.wake,
    close() {
      isClosed = true;
      return repeater.close();
    },
  };
}

async function findNextDue(
  database: Database,
  { chainId, afterMs }: { chainId: number; afterMs: number | null },
): Promise<number | undefined> {
  const { rows } = await database.execute<RowAs<typeof ruleSchedules, { due: 'due_ms' }>>(sql`
    select min(due_ms)::text as due from service.rule_schedules
    where chain_id = ${chainId} and due_ms > ${afterMs ?? Number.MIN_SAFE_INTEGER}`);
  const due = rows[0]?.due ?? null;
  return due === null ? undefined : Number(due);
}

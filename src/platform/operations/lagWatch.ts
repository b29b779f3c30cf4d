import type pg from 'pg';
import type { Logger } from 'pino';
import { indexViewsSchemaName } from '../database/indexNames.ts';
import type { indexedHeads } from '../database/indexView.ts';
import type { RowOf } from '../database/rowOf.ts';

const usualIntervalMs = 1_000;
const mostWaiting = 1_000;

/** How long one position has been behind another. */
export type Lag = {
  note(sight: { target: number; reached: number }, nowMs: number): void;
  /** 0 if it has reached every noted position. */
  milliseconds(nowMs: number): number;
};

/** Measured by the watcher's own clock: the blocks of a quiet chain are old without a lag. */
export function createLag(): Lag {
  let waiting: { target: number; sinceMs: number }[] = [];
  return {
    note({ target, reached }, nowMs) {
      waiting = waiting.filter((one) => one.target > reached && one.target <= target);
      const isNew = target > reached && target > (waiting.at(-1)?.target ?? -1);
      if (isNew && waiting.length < mostWaiting) waiting.push({ target, sinceMs: nowMs });
    },
    milliseconds: (nowMs) => (waiting[0] ? nowMs - waiting[0].sinceMs : 0),
  };
}

/** How late a chain is served, as seen by one process. */
export type ChainLag = {
  readonly chainId: number;
  /** The latest block of the chain's nodes; null while unknown. */
  readonly nodeBlock: number | null;
  /**
   * How long the index has lacked a block that a node had, and how long records have lacked a block of the
   * index.
   */
  readonly indexLateMs: number;
  readonly foldLateMs: number;
};

export type LagWatch = { read(): ChainLag[]; close(): void };

/** Compares nodes, index and records of each chain once a second until it is closed. */
export function watchLags(options: {
  pool: pg.Pool;
  chainIds: readonly number[];
  /** The latest block of the chain's nodes; undefined if unknown. */
  readNodeBlock: (chainId: number) => number | undefined;
  intervalMs?: number;
  logger: Logger;
}): LagWatch {
  const { pool, chainIds, readNodeBlock, intervalMs = usualIntervalMs, logger } = options;
  const lags = chainIds.map((chainId) => ({ chainId, index: createLag(), fold: createLag() }));
  let isLooking = false;
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    try {
      const [indexed, folded] = await Promise.all([
        readBlocks(pool, `select chain_id, number from ${indexViewsSchemaName}.heads`),
        readBlocks(pool, 'select chain_id, head_number as number from service.projections'),
      ]);
      const nowMs = performance.now();
      for (const { chainId, index, fold } of lags) {
        const shown = indexed.get(chainId) ?? -1;
        const nodeBlock = readNodeBlock(chainId);
        if (nodeBlock !== undefined) index.note({ target: nodeBlock, reached: shown }, nowMs);
        if (shown >= 0) fold.note({ target: shown, reached: folded.get(chainId) ?? -1 }, nowMs);
      }
    } catch (error) {
      // Before there is an index, and while the database is away; other checks report these.
      logger.debug({ err: error }, 'failed to measure the lag of the chains');
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(look, intervalMs);
  timer.unref();
  return {
    read() {
      const nowMs = performance.now();
      return lags.map(({ chainId, index, fold }) => ({
        chainId,
        nodeBlock: readNodeBlock(chainId) ?? null,
        indexLateMs: index.milliseconds(nowMs),
        foldLateMs: fold.milliseconds(nowMs),
      }));
    },
    close: () => clearInterval(timer),
  };
}

async function readBlocks(pool: pg.Pool, query: string): Promise<Map<number, number>> {
  const { rows } = await pool.query<RowOf<typeof indexedHeads, 'chain_id' | 'number'>>(query);
  return new Map(rows.map((row) => [row.chain_id, Number(row.number)]));
}

import type { Logger } from 'pino';
import type { ChainPositions } from './readPositions.ts';

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
   * index. The index lacks nothing while no node of the chain answers this process, or none answers the
   * indexer.
   */
  readonly indexLateMs: number;
  readonly foldLateMs: number;
};

export type LagWatch = { read(): ChainLag[]; close(): void };

/** Compares nodes, index and records of each chain once a second until it is closed. */
export function watchLags(options: {
  chainIds: readonly number[];
  readPositions: () => Promise<ChainPositions>;
  /** The latest block of the chain's nodes; undefined if unknown. */
  readNodeBlock: (chainId: number) => number | undefined;
  intervalMs?: number;
  logger: Logger;
}): LagWatch {
  const { chainIds, readPositions, readNodeBlock, intervalMs = usualIntervalMs, logger } = options;
  const lags = chainIds.map((chainId) => ({ chainId, index: createLag(), fold: createLag() }));
  let isLooking = false;
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    try {
      const { indexed, folded, silent } = await readPositions();
      const nowMs = performance.now();
      for (const { chainId, index, fold } of lags) {
        const shown = indexed.get(chainId) ?? -1;
        const nodeBlock = silent.has(chainId) ? undefined : readNodeBlock(chainId);
        // Without nodes there is nothing to wait for: blocks that were seen before may never come.
        index.note({ target: nodeBlock ?? shown, reached: shown }, nowMs);
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
      return lags.map(({ chainId, index, fold }) => {
        const nodeBlock = readNodeBlock(chainId) ?? null;
        const indexLateMs = nodeBlock === null ? 0 : index.milliseconds(nowMs);
        return { chainId, nodeBlock, indexLateMs, foldLateMs: fold.milliseconds(nowMs) };
      });
    },
    close: () => clearInterval(timer),
  };
}

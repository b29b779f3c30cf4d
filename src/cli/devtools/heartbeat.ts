import { setTimeout as delay } from 'node:timers/promises';
import { createPublicClient, createTestClient, http } from 'viem';

const usualLookMs = 1_000;
const usualIdleBeatMs = 10_000;
/** Each block permanently enlarges the saved chain by some kilobytes. */
const longestBeatMs = 600_000;

export type HeartbeatOptions = {
  rpcUrl: string;
  /** Checks a companion of the chain, such as the database; rejects if it does not answer. */
  askBeside(): Promise<unknown>;
  /** Called if the chain or its companion does not answer, with the number of failures in a row. */
  onTrouble(error: unknown, times: number): void;
  /**
   * The polling interval, by default one second, and the idle time before the first beat, by default 10
   * seconds.
   */
  lookEveryMs?: number;
  idleBeatMs?: number;
};

export type Heartbeat = { stop(): Promise<void> };

/**
 * Makes a local chain produce blocks without transactions, as every public chain does; otherwise time would
 * stand still on it. A block is mined when the chain was idle: for 10 seconds at first, later for up to ten
 * minutes. A chain whose automatic mining was switched off is left alone.
 */
export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { lookEveryMs = usualLookMs, idleBeatMs = usualIdleBeatMs } = options;
  const transport = http(options.rpcUrl, { retryCount: 0, timeout: 5_000 });
  const reader = createPublicClient({ transport });
  const miner = createTestClient({ mode: 'anvil', transport });
  let beatMs = idleBeatMs;
  let known = { block: -1n, at: Date.now() };
  let troubles = 0;
  const stopping = new AbortController();

  async function look(): Promise<void> {
    const block = await reader.getBlockNumber({ cacheTime: 0 });
    const now = Date.now();
    if (block !== known.block) {
      known = { block, at: now };
      beatMs = idleBeatMs;
    }
    await options.askBeside();
    if (now - known.at < beatMs || !(await miner.getAutomine())) return;
    await miner.mine({ blocks: 1 });
    // Its own block does not count as activity.
    known = { block: block + 1n, at: now };
    beatMs = Math.min(beatMs * 2, longestBeatMs);
  }

  async function beat(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await look();
        troubles = 0;
      } catch (error) {
        troubles += 1;
        options.onTrouble(error, troubles);
      }
      await delay(lookEveryMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  const beating = beat();
  return {
    async stop() {
      stopping.abort();
      await beating;
    },
  };
}

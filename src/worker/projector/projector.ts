import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import type { Logger } from 'pino';
import { channels } from '../../platform/database/channels.ts';
import { indexChannel } from '../../platform/database/indexNames.ts';
import { listen } from '../../platform/database/listen.ts';
import { createEventIdReader } from '../publisher/openEventIds.ts';
import { createChainFolder, type FoldedChain, type FoldedReorganisation } from './chainFolder.ts';
import type { FoldExtent } from './fold.ts';

export type ProjectorOptions = {
  /** A running fold takes one connection per chain from it. */
  pool: pg.Pool;
  /** The database of `pool`, for the listening connection. */
  databaseUrl: string;
  chains: readonly FoldedChain[];
  /** How long events are kept: older blocks are not announced again. By default they are kept for ever. */
  keptDays?: number | null | undefined;
  onReorganisation?: (reorganisation: FoldedReorganisation) => void;
  onOmitted?: (count: number) => void;
  logger: Logger;
  /** How often the database is polled without a notification. */
  pollIntervalMs?: number;
};

export type Projector = {
  /** Resolves once notifications arrive. */
  ready: Promise<void>;
  close(): Promise<void>;
};

const defaultPollIntervalMs = 3_000;
/** Scanning every open transaction is expensive if there are many: only one poll in this many does it. */
const looksBetweenWhole = 4;

/**
 * Keeps the service's records, histories and transactions equal to the index until it is closed, and
 * announces every transition once its block has its confirmations. Any number of processes may do so at once:
 * one of them folds a chain at a time, and the next finds it done. Failures do not end it; it waits and tries
 * again.
 */
export function createProjector(options: ProjectorOptions): Projector {
  const { pool, databaseUrl, chains, keptDays, onReorganisation, onOmitted, logger } = options;
  const { pollIntervalMs = defaultPollIntervalMs } = options;
  const readEventIds = createEventIdReader(drizzle(pool));
  const folders = chains.map((chain) =>
    createChainFolder({ pool, chain, readEventIds, keptDays, onReorganisation, onOmitted, logger }),
  );
  const wakeAll = (extent: FoldExtent) => {
    for (const folder of folders) folder.wake(extent);
  };
  const listener = listen({
    url: databaseUrl,
    channels: [indexChannel, channels.recordAwaited],
    onNotification: (channel) => wakeAll(channel === indexChannel ? 'new' : 'whole'),
    onConnected: () => wakeAll('whole'),
    logger,
  });
  let looks = 0;
  const timer = setInterval(() => {
    looks = (looks + 1) % (looksBetweenWhole + 1);
    wakeAll(looks === 0 ? 'whole' : 'rest');
  }, pollIntervalMs);
  wakeAll('whole');
  return {
    ready: listener.ready,
    async close() {
      clearInterval(timer);
      await listener.close();
      await Promise.all(folders.map((folder) => folder.close()));
    },
  };
}

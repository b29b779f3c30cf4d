import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import type { Logger } from 'pino';
import { channels } from '../../platform/database/channels.ts';
import { indexChannel } from '../../platform/database/indexNames.ts';
import { listen } from '../../platform/database/listen.ts';
import type { EventIds } from '../../records/events/eventIds.ts';
import { openEventIds } from '../publisher/openEventIds.ts';
import { createChainFolder, type FoldedChain, type FoldedReorganisation } from './chainFolder.ts';
import type { FoldExtent } from './fold.ts';

export type ProjectorOptions = {
  /** Folds take one connection a chain out of it while they run. */
  pool: pg.Pool;
  /** The same database, for the connection that listens. */
  databaseUrl: string;
  chains: readonly FoldedChain[];
  onReorganisation?: (reorganisation: FoldedReorganisation) => void;
  logger: Logger;
  /** How often the database is looked at although no notification came. */
  pollIntervalMs?: number;
};

export type Projector = {
  /** Resolves once notifications arrive. */
  ready: Promise<void>;
  close(): Promise<void>;
};

const defaultPollIntervalMs = 3_000;
/** Looking at every open transaction is expensive if there are many: only one look in this many does it. */
const looksBetweenWhole = 4;

/**
 * Keeps records, histories and transactions of the service equal to what the index shows, from now until it is closed, and
 * announces every transition of them once its block has its confirmations. Any
 * number of processes may do so at once: a chain is folded by one at a time, and whoever comes later finds it done. Nothing
 * that goes wrong ends it; it waits and tries again.
 */
export function createProjector(options: ProjectorOptions): Projector {
  const { pool, databaseUrl, chains, onReorganisation, logger } = options;
  const { pollIntervalMs = defaultPollIntervalMs } = options;
  let eventIds: EventIds | undefined;
  const readEventIds = async () => {
    eventIds ??= await openEventIds(drizzle(pool));
    return eventIds;
  };
  const folders = chains.map((chain) =>
    createChainFolder({ pool, chain, readEventIds, onReorganisation, logger }),
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

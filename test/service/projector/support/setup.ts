import type pg from 'pg';
import { pino } from 'pino';
import { createDatabase, type Database } from '../../../../src/platform/database/database.ts';
import { createEventIds } from '../../../../src/records/events/eventIds.ts';
import { createDocumentCache } from '../../../../src/worker/projector/documentCache.ts';
import type { Fold, FoldExtent } from '../../../../src/worker/projector/fold.ts';
import { foldChain } from '../../../../src/worker/projector/foldChain.ts';
import { createSeenHeads } from '../../../../src/worker/projector/seenHeads.ts';
import { emptyTables } from '../../../support/emptyTables.ts';
import { createMigratedDatabase } from '../../../support/postgres.ts';
import { createStandInIndex, type StandInIndex } from './standInIndex.ts';

export const chainId = 59141;
export const factory = '0x26Ff3AdEC23fC5778f190371B1CcCadDa74e26c8';
export const reorgWindow = 4;
const eventIds = createEventIds(Buffer.from('a secret of the tests'));
export const silent = pino({ level: 'silent' });

export type Fixture = {
  url: string;
  pool: pg.Pool;
  database: Database;
  index: StandInIndex;
  close(): Promise<void>;
};

/** A database with the service's tables, and an empty index. */
export async function createFixture(): Promise<Fixture> {
  const { url, drop } = await createMigratedDatabase();
  const handle = createDatabase({ url, applicationName: 'test', maxConnections: 8, logger: silent });
  const { pool, database } = handle;
  return {
    url,
    pool,
    database,
    index: createStandInIndex({ pool, factory }),
    async close() {
      await handle.close();
      await drop();
    },
  };
}

/** Deletes all records, and shows an index without blocks. */
export async function emptyDatabase({ pool, index }: Fixture): Promise<void> {
  await emptyTables(pool, ['principals', 'transactions', 'events', 'folded_blocks', 'projections']);
  await index.deploy();
}

/** One folding process. It folds only on request, and the whole extent by default. */
export type Folder = {
  foldOnce(extent?: FoldExtent): Promise<Fold>;
  /** Folds until there is nothing left to fold; returns what the last fold found. */
  fold(extent?: FoldExtent): Promise<Fold>;
};

export function createFolder(
  { pool }: Fixture,
  {
    confirmations = 1,
    ...options
  }: {
    confirmations?: number;
    keptDays?: number;
    restoreLimitMs?: number;
    condemned?: ReadonlyMap<string, string>;
  } = {},
): Folder {
  const cache = createDocumentCache();
  const seenHeads = createSeenHeads(confirmations);
  let isFirst = true;
  const foldOnce = async (extent: FoldExtent = 'whole') => {
    const parts = { chainId, confirmations, reorgWindow: BigInt(reorgWindow), seenHeads, isFirst, extent };
    const result = await foldChain({
      pool,
      isGated: false,
      isExclusive: false,
      cache,
      eventIds,
      ...parts,
      ...options,
    });
    if (!result) throw new Error('another process is folding');
    isFirst &&= result.kind !== 'folded';
    return result;
  };
  return {
    foldOnce,
    async fold(extent) {
      for (let next = extent; ; next = 'rest') {
        const result = await foldOnce(next);
        if (result.kind !== 'folded' || result.isComplete) return result;
      }
    },
  };
}

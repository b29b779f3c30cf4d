import type pg from 'pg';
import type { Logger } from 'pino';
import type { ChainConfiguration } from '../config/configuration.ts';
import { createMigrationCheck } from '../database/migrationState.ts';
import { createDatabaseProbe } from './databaseProbe.ts';
import type { ChainLag } from './lagWatch.ts';
import { type ChainFacts, isIndexThere, readFacts } from './readFacts.ts';

export type Readiness = {
  readonly isReady: boolean;
  readonly checks: {
    /** The database answers, and takes writes. */
    readonly database: boolean;
    /** The tables are as new as this program. */
    readonly migrations: boolean;
    /** The views of the index exist. */
    readonly index: boolean;
    /** Index and records hold what the chains have, or lag for no longer than allowed. */
    readonly current: boolean;
    /** The process has not been asked to stop. */
    readonly running: boolean;
  };
  /** In words, why the process is not ready. Empty if it is. */
  readonly reasons: readonly string[];
  /** What is missing although the process is useful, in words: a chain without an answering node delays no other. */
  readonly degraded: readonly string[];
  /** Empty if the database does not answer. */
  readonly chains: readonly ChainFacts[];
};

/**
 * Whether a process should get work. A process whose index or records lag behind the chain for longer than
 * allowed should not, because its answers are old.
 */
export function createReadiness(options: {
  pool: pg.Pool;
  chains: readonly Pick<ChainConfiguration, 'chainId'>[];
  isStopping: () => boolean;
  readLags: () => readonly ChainLag[];
  allowedLagMs: number;
  logger: Logger;
}): () => Promise<Readiness> {
  const { pool, isStopping, readLags, allowedLagMs, logger } = options;
  const chainIds = options.chains.map(({ chainId }) => chainId);
  const doesAnswer = createDatabaseProbe(pool);
  const isMigrated = createMigrationCheck(pool);

  return async () => {
    const lags = readLags().flatMap((lag) => describeLag(lag, allowedLagMs));
    let checks = {
      database: await doesAnswer(),
      migrations: false,
      index: false,
      current: lags.length === 0,
      running: !isStopping(),
    };
    let chains: readonly ChainFacts[] = [];
    try {
      if (checks.database) {
        const [migrations, index] = await Promise.all([isMigrated(), isIndexThere(pool)]);
        checks = { ...checks, migrations, index };
        if (migrations) chains = await readFacts(pool, { chainIds, isIndexed: index });
      }
    } catch (error) {
      logger.warn({ err: error }, 'failed to read the state of the service');
      checks = { ...checks, database: false };
    }
    return {
      isReady: Object.values(checks).every(Boolean),
      checks,
      reasons: [...describeChecks(checks), ...lags],
      degraded: chains.flatMap(describeSilence),
      chains,
    };
  };
}

/** The first failed check of database, migrations and index explains those after it. */
function describeChecks({ database, migrations, index, running }: Readiness['checks']): string[] {
  const reasons = running ? [] : ['the process is stopping'];
  if (!database) reasons.push('the database does not answer, or takes no writes');
  else if (!migrations) reasons.push('the tables are older than this program');
  else if (!index) reasons.push('the index is not built yet');
  return reasons;
}

function describeSilence({ chainId, silentSince }: ChainFacts): string[] {
  if (silentSince === null) return [];
  return [`chain ${chainId}: no node has answered the indexer since ${silentSince}; its index is stalled`];
}

function describeLag({ chainId, nodeBlock, indexLateMs, foldLateMs }: ChainLag, allowedMs: number): string[] {
  const reasons: string[] = [];
  const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
  if (indexLateMs > allowedMs)
    reasons.push(
      `chain ${chainId}: the index has been behind its nodes, which are at block ${nodeBlock}, for ${seconds(indexLateMs)}`,
    );
  if (foldLateMs > allowedMs)
    reasons.push(`chain ${chainId}: the records have been behind the index for ${seconds(foldLateMs)}`);
  return reasons;
}

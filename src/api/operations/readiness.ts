import type pg from 'pg';
import type { Logger } from 'pino';
import type { ChainConfiguration } from '../config/configuration.ts';
import { createMigrationCheck } from '../database/migrationState.ts';
import { createDatabaseProbe } from './databaseProbe.ts';
import { type ChainFacts, isIndexThere, readFacts } from './readFacts.ts';

/** What a process can do, and what it knows of its chains. */
export type Readiness = {
  readonly isReady: boolean;
  readonly checks: {
    /** The database answers. */
    readonly database: boolean;
    /** The tables are those of this program. */
    readonly migrations: boolean;
    /** The views of the index are there. */
    readonly index: boolean;
    /** The process has not been asked to stop. */
    readonly running: boolean;
  };
  /** Empty where the database does not tell. */
  readonly chains: readonly ChainFacts[];
};

/**
 * Answers whether a process should be sent work. How far the index lags is told and does not make a process unready: it serves
 * what it has, and no other replica has more.
 */
export function createReadiness(options: {
  pool: pg.Pool;
  chains: readonly Pick<ChainConfiguration, 'chainId'>[];
  /** Says whether the process has been asked to stop. */
  isStopping: () => boolean;
  logger: Logger;
}): () => Promise<Readiness> {
  const { pool, isStopping, logger } = options;
  const chainIds = options.chains.map(({ chainId }) => chainId);
  const doesAnswer = createDatabaseProbe(pool);
  const isMigrated = createMigrationCheck(pool);

  return async () => {
    let checks = { database: await doesAnswer(), migrations: false, index: false, running: !isStopping() };
    let chains: readonly ChainFacts[] = [];
    try {
      if (checks.database) {
        const [migrations, index] = await Promise.all([isMigrated(), isIndexThere(pool)]);
        checks = { ...checks, migrations, index };
        if (migrations) chains = await readFacts(pool, { chainIds, isIndexed: index });
      }
    } catch (error) {
      logger.warn({ err: error }, 'the state of the service could not be read');
      checks = { ...checks, database: false };
    }
    return { isReady: Object.values(checks).every(Boolean), checks, chains };
  };
}

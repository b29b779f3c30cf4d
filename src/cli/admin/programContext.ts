import type pg from 'pg';
import type { Database } from '../../platform/database/database.ts';
import type { AdministrationSettings } from './administrationSettings.ts';
import type { Answer } from './answer.ts';

export type ProgramContext = {
  /** Runs with a connected, migrated database, and closes it afterwards. */
  withDatabase(run: (database: Database, settings: AdministrationSettings) => Promise<Answer>): Promise<void>;
  /** Like `withDatabase`, with a pg pool and the environment. */
  withPool(run: (pool: pg.Pool, env: NodeJS.ProcessEnv) => Promise<Answer>): Promise<void>;
  /** Prints a message before the result; nothing if only the result may be printed. */
  print(text: string): void;
  /** Settles when the program is asked to stop. */
  awaitStop(): Promise<unknown>;
};

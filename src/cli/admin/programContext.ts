import type pg from 'pg';
import type { Database } from '../../platform/database/database.ts';
import type { AdministrationSettings } from './administrationSettings.ts';
import type { Answer } from './answer.ts';

/** What the commands need, and where their answers go. */
export type ProgramContext = {
  /** Runs with a connected, migrated database that is closed again afterwards. */
  withDatabase(run: (database: Database, settings: AdministrationSettings) => Promise<Answer>): Promise<void>;
  /** The same for what is done in SQL; with the environment. */
  withPool(run: (pool: pg.Pool, env: NodeJS.ProcessEnv) => Promise<Answer>): Promise<void>;
  /** Says something before the answer is there; nothing where the answer has to stand alone. */
  print(text: string): void;
  /** Settles when the program is asked to stop. */
  awaitStop(): Promise<unknown>;
};

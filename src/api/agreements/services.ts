import type pg from 'pg';
import type { ChainClients } from '../chain/clients.ts';
import type { ChainConfiguration } from '../config/configuration.ts';
import type { Limits } from '../config/limits.ts';
import type { WebhookSettings } from '../config/webhookSettings.ts';
import type { Database } from '../database/database.ts';
import type { Reads } from '../database/reads.ts';
import type { Cipher } from '../encryption/cipher.ts';
import type { Changes } from './changes.ts';

/** What the functions of agreements work with; made at start, and shared by all requests. */
export type Services = {
  readonly database: Database;
  /** The pool of the same database, for reads in SQL. */
  readonly pool: pg.Pool;
  /** For what callers only look at: records, histories and events, perhaps those of a replica. */
  readonly reads: Reads;
  readonly chains: readonly ChainConfiguration[];
  readonly clients: ChainClients;
  readonly changes: Changes;
  readonly limits: Limits;
  readonly cipher: Cipher;
  readonly webhookSettings: WebhookSettings;
  /** Whether somebody sends the mails of notification rules. */
  readonly isMailConfigured: boolean;
  /** Where callers reach this service, without a slash at the end. */
  readonly publicBaseUrl: string;
};

import type pg from 'pg';
import type { ChainConfiguration } from '../../platform/config/configuration.ts';
import type { Limits } from '../../platform/config/limits.ts';
import type { WebhookSettings } from '../../platform/config/webhookSettings.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Reads } from '../../platform/database/reads.ts';
import type { Cipher } from '../../platform/encryption/cipher.ts';
import type { ChainClients } from '../../platform/nodes/clients.ts';
import type { QuotaKeeper as Quotas } from '../quotas/quotaKeeper.ts';
import type { ChangeWatcher } from './changeWatcher.ts';

/** The dependencies of the agreements' functions; created at the start and shared by all requests. */
export type Services = {
  readonly database: Database;
  /** The pool of the same database, for reads in SQL. */
  readonly pool: pg.Pool;
  /** For data that callers only read: records, histories and events, possibly from a replica. */
  readonly reads: Reads;
  readonly chains: readonly ChainConfiguration[];
  readonly clients: ChainClients;
  readonly changes: ChangeWatcher;
  readonly limits: Limits;
  readonly cipher: Cipher;
  readonly webhookSettings: WebhookSettings;
  readonly quotas: Quotas;
  /** Whether the installation sends mails of notification rules. */
  readonly isMailConfigured: boolean;
  /** The service's public address, without a slash at the end. */
  readonly publicBaseUrl: string;
};

import type { EncryptionKeys } from '../config/encryptionKeys.ts';
import type { Database } from '../database/database.ts';
import { readInstallationSecret } from './installationSecret.ts';

/**
 * The key of an installation whose operator names none: made once, and kept in the database beside what it encrypts. It keeps
 * that out of logs and careless queries, but not from whoever has the database; a key from the environment does that too.
 */
export async function readInstallationKey(database: Database): Promise<EncryptionKeys> {
  return [await readInstallationSecret(database, 'encryption_key')];
}

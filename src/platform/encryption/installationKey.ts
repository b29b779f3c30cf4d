import type { EncryptionKeys } from '../config/encryptionKeys.ts';
import type { Database } from '../database/database.ts';
import { readInstallationSecret } from './installationSecret.ts';

/**
 * The key of an installation whose operator set none: generated once and stored in the database beside the
 * data that it encrypts. It protects against logs and careless queries, but not against somebody who has the
 * database. Only a key from the environment protects against that.
 */
export async function readInstallationKey(database: Database): Promise<EncryptionKeys> {
  return [await readInstallationSecret(database, 'encryption_key')];
}

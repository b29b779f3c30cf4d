import type { Logger } from 'pino';
import type { EncryptionKeys } from '../config/encryptionKeys.ts';
import type { Database } from '../database/database.ts';
import { type Cipher, createCipher } from './cipher.ts';
import { readInstallationKey } from './installationKey.ts';

/**
 * The cipher of an installation. It encrypts with the operator's first key, or with the installation's own
 * key if the operator set none, which is logged. Data encrypted earlier with the installation's own key stay
 * readable.
 */
export async function openCipher(options: {
  database: Database;
  keys: EncryptionKeys | undefined;
  logger: Logger;
}): Promise<Cipher> {
  const { database, keys, logger } = options;
  const own = await readInstallationKey(database);
  if (keys) return createCipher([...keys, ...own]);
  logger.warn(
    'ENCRYPTION_KEY is not set: the encryption key is stored in the same database as the encrypted data',
  );
  return createCipher(own);
}
